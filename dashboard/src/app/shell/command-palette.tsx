import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { BookOpen, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { useWorkspace } from '../../api/workspace.ts';
import { Kbd } from '../../components/buttons/kbd.tsx';
import { EnvBadge } from '../../components/display/badge.tsx';
import { Modal } from '../../components/overlays/modal.tsx';
import { useShortcuts } from '../browser/shortcuts.ts';
import { setTheme } from '../browser/theme.ts';
import { usePlace } from '../current.ts';
import { PLACES, useGo } from './navigation.ts';

/** Everything that can be done from here, by a few letters. */
export default function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const go = useGo();
  const navigate = useNavigate();
  const { projects, accounts } = useWorkspace();
  const { project: current } = usePlace();
  // What the page itself offers; places are listed with their names anyway.
  const actions = useShortcuts().filter(({ keys }) => !/^(g .|mod\+k)$/.test(keys));
  const then = (run: () => void) => () => {
    onClose();
    run();
  };
  return (
    <Modal
      open
      onClose={onClose}
      label="Command palette"
      className="mx-auto mt-[12vh] mb-auto w-[calc(100%-1.5rem)] max-w-xl animate-rise overflow-hidden rounded-xl bg-raised text-ink shadow-float backdrop:animate-appear backdrop:bg-[#0006]"
    >
      <Command label="Command palette" loop>
        <Command.Input
          autoFocus
          placeholder="Search or jump to…"
          className="h-12 w-full border-line border-b bg-transparent px-4 text-lg outline-none placeholder:text-faint"
        />
        <Command.List className="max-h-[min(24rem,60vh)] overflow-y-auto p-2">
          <Command.Empty className="py-8 text-center text-muted">
            Nothing is called that.
          </Command.Empty>
          <Group heading="On this page">
            {actions.map(({ keys, label, run }) => (
              <Item key={keys} onSelect={then(run)} keys={keys}>
                {label}
              </Item>
            ))}
          </Group>
          <Group heading="Go to">
            {PLACES.map((place) => (
              <Item
                key={place.to}
                icon={<place.Icon aria-hidden />}
                keys={`g ${place.key}`}
                onSelect={then(() => go(place))}
              >
                {place.label}
              </Item>
            ))}
          </Group>
          <Group heading="Switch project">
            {projects
              .filter(({ id }) => id !== current?.id)
              .map(({ id, name, env, accountId }) => (
                <Item
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
                </Item>
              ))}
          </Group>
          <Group heading="More">
            <Item icon={<Sun aria-hidden />} onSelect={then(() => setTheme('light'))}>
              Light theme
            </Item>
            <Item icon={<Moon aria-hidden />} onSelect={then(() => setTheme('dark'))}>
              Dark theme
            </Item>
            <Item icon={<BookOpen aria-hidden />} onSelect={then(() => location.assign('/docs'))}>
              API reference
            </Item>
          </Group>
        </Command.List>
      </Command>
    </Modal>
  );
}

const Group = ({ heading, children }: { heading: string; children: ReactNode }) => (
  <Command.Group
    heading={heading}
    className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-faint [&_[cmdk-group-heading]]:text-xs"
  >
    {children}
  </Command.Group>
);

interface ItemProps {
  readonly icon?: ReactNode;
  readonly keys?: string;
  readonly value?: string;
  onSelect(): void;
  readonly children: ReactNode;
}

const Item = ({ icon, keys, value, onSelect, children }: ItemProps) => (
  <Command.Item
    {...(value !== undefined && { value })}
    onSelect={onSelect}
    className="flex min-h-9 cursor-default items-center gap-3 rounded-md px-2.5 data-[selected=true]:bg-hover [&>svg]:size-4 [&>svg]:text-muted"
  >
    {icon}
    <span className="min-w-0 flex-1">{children}</span>
    {keys && <Kbd keys={keys} />}
  </Command.Item>
);
