import type { FormEvent } from 'react';
import { useUsedPolicies } from '../../../api/api-keys.ts';
import { useProject } from '../../../app/current.ts';
import { ExpiryField } from '../../../components/forms/expiry-field.tsx';
import { TextArea, TextField } from '../../../components/forms/field.tsx';
import { JsonEditor } from '../../../components/forms/json-editor.tsx';
import { LimitField } from '../../../components/forms/limit-field.tsx';
import { itemsOf, wildcardExamples } from '../../../text/policies.ts';
import { type DraftErrors, type KeyDraft, LISTS } from './key-draft.ts';

interface KeyFormProps {
  readonly id: string;
  readonly draft: KeyDraft;
  readonly errors: DraftErrors;
  onChange(draft: KeyDraft): void;
  onSubmit(): void;
}

export function KeyForm({ id, draft, errors, onChange, onSubmit }: KeyFormProps) {
  const set = <Name extends keyof KeyDraft>(name: Name) => ({
    value: draft[name],
    error: errors[name] ?? null,
    onChange: (value: KeyDraft[Name]) => onChange({ ...draft, [name]: value }),
  });
  const checked = (name: keyof typeof LISTS) => ({
    ...set(name),
    error: errors[name] ?? LISTS[name](draft[name]),
  });
  const used = useUsedPolicies(useProject().id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form id={id} onSubmit={submit} noValidate className="flex flex-col gap-5">
      <TextField
        label="Name"
        hint="Who uses the key and for what, for example “Acme, production”"
        maxLength={256}
        autoComplete="off"
        {...set('name')}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Customer ID"
          optional
          hint="The ID of the customer in your system. Keys with the same ID share the settings of that customer."
          maxLength={256}
          autoComplete="off"
          {...set('customAccountId')}
        />
        <TextField
          label="User ID"
          optional
          hint="User ID in your system"
          maxLength={256}
          autoComplete="off"
          {...set('customUserId')}
        />
      </div>
      <ExpiryField {...set('expiry')} />
      <LimitField
        label="Limit request rate"
        hint="Requests over the limit are rejected with 429 until the window ends."
        {...set('limit')}
      />
      <TextArea
        label="Allowed domains"
        optional
        rows={2}
        spellCheck={false}
        placeholder={'app.example.com\n*.example.org'}
        hint="One per line. Requests from other domains are rejected, based on the x-origin-domain header."
        {...set('allowedDomains')}
      />
      <TextArea
        label="Permissions"
        optional
        rows={3}
        spellCheck={false}
        placeholder={'documents.read\nbilling.*'}
        hint={
          <>
            One per line. Your API requires them when it validates the key.{' '}
            {wildcardExamples(draft.permissions) ??
              'A * at the end grants everything that begins with the part before it.'}
            <Suggestions
              label="Used in this project:"
              items={used.data?.permissions ?? []}
              text={draft.permissions}
              onAdd={(item) => set('permissions').onChange(`${draft.permissions}\n${item}`.trim())}
            />
          </>
        }
        {...checked('permissions')}
      />
      <TextArea
        label="Allowed IP addresses"
        optional
        rows={2}
        spellCheck={false}
        placeholder={'203.0.113.7\n10.0.0.0/8'}
        hint="Addresses or CIDR ranges, one per line. Requests from other addresses are rejected."
        {...checked('allowedIPs')}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Starts"
          optional
          type="datetime-local"
          hint="The key is rejected before this time."
          {...set('startsAt')}
        />
        <TextField
          label="Tags"
          optional
          spellCheck={false}
          autoComplete="off"
          placeholder="beta eu-west"
          hint={
            <>
              Labels to filter keys by, separated by spaces.
              <Suggestions
                label="Used in this project:"
                items={used.data?.tags ?? []}
                text={draft.tags}
                onAdd={(item) => set('tags').onChange(`${draft.tags} ${item}`.trim())}
              />
            </>
          }
          {...checked('tags')}
        />
      </div>
      <JsonEditor
        label="Metadata"
        optional
        rows={5}
        value={draft.metadata}
        onChange={set('metadata').onChange}
      />
    </form>
  );
}

interface SuggestionsProps {
  readonly label: string;
  readonly items: readonly string[];
  readonly text: string;
  onAdd(item: string): void;
}

const SUGGESTED_MAX = 12;

/** Buttons that add items used by other keys. */
function Suggestions({ label, items, text, onAdd }: SuggestionsProps) {
  const chosen = new Set(itemsOf(text));
  const others = items.filter((item) => !chosen.has(item)).slice(0, SUGGESTED_MAX);
  if (others.length === 0) return null;
  return (
    <span className="mt-1 flex flex-wrap items-center gap-1.5">
      {label}
      {others.map((item) => (
        <button
          key={item}
          type="button"
          aria-label={`Add ${item}`}
          onClick={() => onAdd(item)}
          className="rounded border border-line px-1.5 py-0.5 font-mono text-ink text-xs hover:border-muted"
        >
          {item}
        </button>
      ))}
    </span>
  );
}
