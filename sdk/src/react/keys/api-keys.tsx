import { isCurrent, keyState } from '@keyward/rules/key-state.ts';
import { useState } from 'react';
import type { PortalApiKey } from '../client/records.ts';
import { usePortal } from '../state/context.ts';
import { useApiKeys, usePortalSession } from '../state/hooks.ts';
import { useNow } from '../state/use-now.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState, Failure } from '../ui/notice.tsx';
import { Section } from '../ui/section.tsx';
import { CreateKey } from './create-key.tsx';
import { RenameKey, RevokeKey, RotateKey } from './key-dialogs.tsx';
import { type KeyAction, KeyItem } from './key-item.tsx';

type OpenDialog =
  | { readonly action: 'create' }
  | { readonly action: KeyAction; readonly apiKey: PortalApiKey };

/** The keys of the customer: list, create, rename, rotate and revoke, as far as the session allows. */
export function ApiKeys() {
  const { messages } = usePortal();
  const session = usePortalSession().data;
  const keys = useApiKeys();
  const [open, setOpen] = useState<OpenDialog | null>(null);
  if (!session?.allow.includes('keys:read')) return null;
  const canCreate = session.allow.includes('keys:create');
  const createButton = canCreate && (
    <Button kind="primary" onClick={() => setOpen({ action: 'create' })}>
      {messages.keys.create}
    </Button>
  );
  const close = () => setOpen(null);
  return (
    <Section title={messages.keys.title} action={createButton}>
      {keys.error && <Failure error={keys.error} retry={keys.reload} />}
      {keys.data ? (
        <KeyLists
          keys={keys.data}
          canCreate={canCreate}
          onAction={(action, apiKey) => setOpen({ action, apiKey })}
        />
      ) : (
        !keys.error && <p className="kw-muted">{messages.loading}</p>
      )}
      {keys.hasMore && (
        <Button busy={keys.isLoading} onClick={keys.loadMore}>
          {messages.keys.showMore}
        </Button>
      )}
      {open?.action === 'create' && <CreateKey cap={session.permissions} onClose={close} />}
      {open?.action === 'rename' && <RenameKey apiKey={open.apiKey} onClose={close} />}
      {open?.action === 'rotate' && <RotateKey apiKey={open.apiKey} onClose={close} />}
      {open?.action === 'revoke' && <RevokeKey apiKey={open.apiKey} onClose={close} />}
    </Section>
  );
}

interface KeyListsProps {
  readonly keys: readonly PortalApiKey[];
  readonly canCreate: boolean;
  onAction(action: KeyAction, apiKey: PortalApiKey): void;
}

function KeyLists({ keys, canCreate, onAction }: KeyListsProps) {
  const { messages, format } = usePortal();
  const now = useNow();
  const [current, past] = [true, false].map((wanted) =>
    keys.filter((key) => isCurrent(keyState(key, now)) === wanted),
  ) as [PortalApiKey[], PortalApiKey[]];
  const list = (items: readonly PortalApiKey[], label: string) => (
    <ul className="kw-keys" aria-label={label}>
      {items.map((apiKey) => (
        <KeyItem key={apiKey.id} apiKey={apiKey} now={now} onAction={onAction} />
      ))}
    </ul>
  );
  return (
    <>
      {current.length > 0 && list(current, messages.keys.title)}
      {keys.length === 0 && (
        <EmptyState title={messages.keys.emptyTitle}>
          {canCreate ? messages.keys.emptyText : messages.keys.emptyReadOnly}
        </EmptyState>
      )}
      {past.length > 0 && (
        <details className="kw-past" open={current.length === 0}>
          <summary>{messages.keys.inactive(format.number(past.length))}</summary>
          {list(past, messages.keys.inactive(format.number(past.length)))}
        </details>
      )}
    </>
  );
}
