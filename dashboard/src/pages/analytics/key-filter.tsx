import { useState } from 'react';
import { useApiKey } from '../../api/api-keys.ts';
import { useSearch } from '../../api/search.ts';
import { useAccount } from '../../app/current.ts';
import { TextField } from '../../components/forms/field.tsx';
import { FilterPopover } from '../../components/tables/filter-chip.tsx';
import { useSearchedText } from '../../hooks/use-search-text.ts';
import { shortMask } from '../../text/key-mask.ts';

interface KeyFilterProps {
  readonly projectId: string;
  readonly keyId: string | undefined;
  onChange(keyId: string | undefined): void;
}

export const KeyFilter = ({ projectId, keyId, onChange }: KeyFilterProps) => (
  <FilterPopover label="Key" value={useKeyName(keyId)} onRemove={() => onChange(undefined)}>
    {(close) => (
      <KeyChoice
        projectId={projectId}
        onChoose={(id) => {
          close();
          onChange(id);
        }}
      />
    )}
  </FilterPopover>
);

function useKeyName(keyId: string | undefined): string | undefined {
  const { data } = useApiKey(keyId ?? '', { enabled: keyId !== undefined });
  return keyId === undefined ? undefined : (data?.name ?? keyId);
}

interface KeyChoiceProps {
  readonly projectId: string;
  onChoose(keyId: string): void;
}

function KeyChoice({ projectId, onChoose }: KeyChoiceProps) {
  const [text, setText] = useState('');
  const searched = useSearchedText(text);
  const { keys, isSearching } = useSearch(useAccount().id, searched);
  const found = keys.filter((key) => key.projectId === projectId);
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label="Find a key"
        placeholder="Name, ID, value or customer"
        value={text}
        onChange={setText}
        autoComplete="off"
      />
      <ul className="flex flex-col">
        {found.map((key) => (
          <li key={key.id}>
            <button
              type="button"
              onClick={() => onChoose(key.id)}
              className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover"
            >
              <span className="min-w-0 flex-1 truncate font-medium">{key.name}</span>
              <code className="text-faint text-xs">{shortMask(key.key)}</code>
            </button>
          </li>
        ))}
      </ul>
      {searched.length > 1 && found.length === 0 && (
        <p className="text-muted text-sm">{isSearching ? 'Searching…' : 'No results'}</p>
      )}
    </div>
  );
}
