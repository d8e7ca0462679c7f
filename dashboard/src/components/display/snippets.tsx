import { useState } from 'react';
import { readSetting, writeSetting } from '../../app/browser/settings-store.ts';
import type { SnippetSet } from '../../text/call-snippets.ts';
import { Tabs } from '../layout/tabs.tsx';
import { CodeBlock } from './code-block.tsx';

const LANGUAGES = [
  { id: 'curl', label: 'curl' },
  { id: 'typescript', label: 'TypeScript' },
  { id: 'python', label: 'Python' },
  { id: 'go', label: 'Go' },
] as const;

type Language = keyof SnippetSet;

interface SnippetsProps {
  /** What the request does, such as `Validate the key`. */
  readonly label: string;
  readonly snippets: SnippetSet;
}

/** A request in the language that was last selected in this browser. */
export function Snippets({ label, snippets }: SnippetsProps) {
  const [language, setLanguage] = useState<Language>(
    () => LANGUAGES.find(({ id }) => id === readSetting('language'))?.id ?? 'curl',
  );
  return (
    <Tabs
      label={`${label}: language`}
      value={language}
      onChange={(id) => {
        setLanguage(id);
        writeSetting('language', id);
      }}
      tabs={LANGUAGES.map(({ id, label: name }) => ({
        id,
        label: name,
        panel: <CodeBlock label={`${label} (${name})`} code={snippets[id]} />,
      }))}
    />
  );
}
