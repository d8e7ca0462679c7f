import { useNavigate } from '@tanstack/react-router';
import type { ApiKey, Project } from 'keyward';
import {
  Contact,
  KeyRound,
  Layers,
  ScrollText,
  ShieldCheck,
  UserRound,
  Webhook,
} from 'lucide-react';
import { type SearchItem, type SearchResults, useSearch } from '../../api/search.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { useSearchedText } from '../../hooks/use-search-text.ts';
import { shortMask } from '../../text/key-mask.ts';
import { useCurrent } from '../current.ts';
import { PaletteGroup, PaletteItem } from './palette-item.tsx';

/** Value prefix of search results: the palette must not filter them again. */
export const FOUND = 'found ';

/** Searches the current account. Empty without an account. */
export function usePaletteSearch(text: string): SearchResults {
  const { account } = useCurrent();
  return useSearch(account?.id ?? '', useSearchedText(account ? text : ''));
}

const ICONS = {
  customer: Contact,
  plan: Layers,
  teammate: UserRound,
  webhook: Webhook,
  'access-key': ShieldCheck,
  'deleted-key': KeyRound,
};

interface SearchResultsProps {
  readonly results: SearchResults;
  /** Closes the palette, then runs. */
  then(run: () => unknown): () => void;
}

export function SearchResultGroups({ results, then }: SearchResultsProps) {
  const { account, project } = useCurrent();
  const { projects } = useWorkspace();
  const navigate = useNavigate();
  if (!account) return null;
  const params = { accountId: account.id };
  const openKey = ({ id, projectId }: ApiKey) =>
    navigate({ to: '/p/$projectId/keys/$keyId', params: { projectId, keyId: id } });
  const history = (id: string) =>
    navigate({ to: '/a/$accountId/audit-log', params, search: { target: id } });
  function open({ kind, id, detail, projectId: own }: SearchItem) {
    const projectId = own ?? project?.id;
    if (kind === 'teammate') return navigate({ to: '/a/$accountId/team', params });
    if (kind === 'deleted-key' || projectId === undefined) return history(id);
    switch (kind) {
      case 'customer': {
        const customerId = detail ?? id;
        return navigate({
          to: '/p/$projectId/customers/$customerId',
          params: { projectId, customerId },
        });
      }
      case 'plan':
        return navigate({
          to: '/p/$projectId/plans/$planId',
          params: { projectId, planId: id },
        });
      case 'webhook':
        return navigate({
          to: '/p/$projectId/webhooks/$webhookId',
          params: { projectId, webhookId: id },
        });
      case 'access-key':
        return navigate({
          to: '/p/$projectId/access-keys',
          params: { projectId },
          search: { open: id },
        });
    }
  }
  const nameOf = (id: string) => projects.find((one: Project) => one.id === id)?.name;
  const items = results.items.filter(({ kind }) => kind !== 'deleted-key');
  const teammates = items.filter(({ kind }) => kind === 'teammate');
  const recorded = [
    ...results.keys.slice(0, 3),
    ...results.items.filter(({ kind }) => kind !== 'teammate'),
  ];
  return (
    <>
      {results.keys.length > 0 && (
        <PaletteGroup heading="Keys">
          {results.keys.map((key) => (
            <PaletteItem
              key={key.id}
              value={FOUND + key.id}
              icon={<KeyRound aria-hidden />}
              onSelect={then(() => openKey(key))}
              detail={[
                shortMask(key.key),
                key.customAccountId ?? key.customUserId,
                key.projectId === project?.id ? null : nameOf(key.projectId),
                key.isActive ? null : 'revoked',
              ]}
            >
              {key.name}
            </PaletteItem>
          ))}
        </PaletteGroup>
      )}
      {items.length > 0 && (
        <PaletteGroup heading="Customers, plans and more">
          {items.map((item) => {
            const Icon = ICONS[item.kind];
            return (
              <PaletteItem
                key={item.id}
                value={FOUND + item.id}
                icon={<Icon aria-hidden />}
                onSelect={then(() => open(item))}
                detail={[item.kind === 'plan' ? 'Plan' : item.detail]}
              >
                {item.name}
              </PaletteItem>
            );
          })}
        </PaletteGroup>
      )}
      {recorded.length + teammates.length > 0 && (
        <PaletteGroup heading="Audit log">
          {recorded.map(({ id, name }) => (
            <PaletteItem
              key={id}
              value={`${FOUND}history ${id}`}
              icon={<ScrollText aria-hidden />}
              onSelect={then(() => history(id))}
            >
              Changes to {name}
            </PaletteItem>
          ))}
          {teammates.map(({ id, name }) => (
            <PaletteItem
              key={id}
              value={`${FOUND}history ${id}`}
              icon={<ScrollText aria-hidden />}
              onSelect={then(() =>
                navigate({ to: '/a/$accountId/audit-log', params, search: { actor: id } }),
              )}
            >
              Changes by {name}
            </PaletteItem>
          ))}
        </PaletteGroup>
      )}
    </>
  );
}
