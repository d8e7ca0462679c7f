import { useNavigate } from '@tanstack/react-router';
import { Command, defaultFilter } from 'cmdk';
import { BookOpen, Moon, Plus, Sun } from 'lucide-react';
import { useState } from 'react';
import { useWorkspace } from '../../api/workspace.ts';
import { EnvBadge } from '../../components/display/badge.tsx';
import { Modal } from '../../components/overlays/modal.tsx';
import { useShortcuts } from '../browser/shortcuts.ts';
import { setTheme } from '../browser/theme.ts';
import { useCurrent } from '../current.ts';
import { useMay } from '../session/permissions.ts';
import { PAGES, useCreateKey, useGo } from './navigation.ts';
import { PaletteGroup, PaletteItem } from './palette-item.tsx';
import { FOUND, SearchResultGroups, usePaletteSearch } from './search-results.tsx';

/** Search for pages, records and actions. */
export default function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const go = useGo();
  const createKey = useCreateKey();
  const mayCreate = useMay('keys:write');
  const [text, setText] = useState('');
  const results = usePaletteSearch(text);
  const navigate = useNavigate();
  const { projects, accounts } = useWorkspace();
  const { project: current } = useCurrent();
  // Actions of the page only. Pages are listed below by name.
  const actions = useShortcuts().filter(({ keys }) => !/^(g .|n|mod\+k)$/.test(keys));
  const then = (run: () => unknown) => () => {
    onClose();
    void run();
  };
  return (
    <Modal
      open
      onClose={onClose}
      label="Command palette"
      className="mx-auto mt-[12vh] mb-auto w-[calc(100%-1.5rem)] max-w-xl animate-rise overflow-hidden rounded-xl bg-raised text-ink shadow-float backdrop:animate-appear backdrop:bg-[#0006]"
    >
      <Command label="Command palette" loop filter={filter}>
        <Command.Input
          autoFocus
          value={text}
          onValueChange={setText}
          placeholder="Search keys, customers, plans, webhooks…"
          className="h-12 w-full border-line border-b bg-transparent px-4 text-lg outline-none placeholder:text-faint"
        />
        <Command.List className="max-h-[min(24rem,60vh)] overflow-y-auto p-2">
          <Command.Empty className="py-8 text-center text-muted">
            {results.isSearching ? 'Searching…' : 'No results'}
          </Command.Empty>
          <SearchResultGroups results={results} then={then} />
          {current && mayCreate && (
            <PaletteGroup heading="Create">
              <PaletteItem icon={<Plus aria-hidden />} keys="n" onSelect={then(createKey)}>
                Create key
              </PaletteItem>
            </PaletteGroup>
          )}
          <PaletteGroup heading="On this page">
            {actions.map(({ keys, label, run }) => (
              <PaletteItem key={keys} onSelect={then(run)} keys={keys}>
                {label}
              </PaletteItem>
            ))}
          </PaletteGroup>
          <PaletteGroup heading="Go to">
            {PAGES.map((page) => (
              <PaletteItem
                key={page.to}
                icon={<page.Icon aria-hidden />}
                keys={`g ${page.key}`}
                onSelect={then(() => go(page))}
              >
                {page.label}
              </PaletteItem>
            ))}
          </PaletteGroup>
          <PaletteGroup heading="Switch project">
            {projects
              .filter(({ id }) => id !== current?.id)
              .map(({ id, name, env, accountId }) => (
                <PaletteItem
                  key={id}
                  value={`${name} ${id}`}
                  onSelect={then(() =>
                    navigate({ to: '/p/$projectId', params: { projectId: id } }),
                  )}
                >
                  <span className="flex items-center gap-2">
                    {name} <EnvBadge env={env} />
                    {accounts.length > 1 && (
                      <span className="text-faint">
                        {accounts.find((account) => account.id === accountId)?.name}
                      </span>
                    )}
                  </span>
                </PaletteItem>
              ))}
          </PaletteGroup>
          <PaletteGroup heading="More">
            <PaletteItem icon={<Sun aria-hidden />} onSelect={then(() => setTheme('light'))}>
              Light theme
            </PaletteItem>
            <PaletteItem icon={<Moon aria-hidden />} onSelect={then(() => setTheme('dark'))}>
              Dark theme
            </PaletteItem>
            <PaletteItem
              icon={<BookOpen aria-hidden />}
              onSelect={then(() => location.assign('/docs'))}
            >
              Documentation
            </PaletteItem>
          </PaletteGroup>
        </Command.List>
      </Command>
    </Modal>
  );
}

/** Keeps all search results, ranked below names that match well. */
const filter: typeof defaultFilter = (value, search, keywords) =>
  value.startsWith(FOUND) ? 0.6 : (defaultFilter(value, search, keywords) as number);
