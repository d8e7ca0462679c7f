import { isCurrent, isRotatable, type KeyState, keyState } from '@keyward/rules/key-state.ts';
import type { ReactNode } from 'react';
import type { PortalApiKey } from '../client/records.ts';
import { usePortal } from '../state/context.ts';
import { useLimits, usePortalSession } from '../state/hooks.ts';
import { Button } from '../ui/button.tsx';
import { rateText } from '../usage/limit-text.ts';

export type KeyAction = 'rename' | 'rotate' | 'revoke';

interface KeyItemProps {
  readonly apiKey: PortalApiKey;
  readonly now: number;
  onAction(action: KeyAction, apiKey: PortalApiKey): void;
}

export function KeyItem({ apiKey, now, onAction }: KeyItemProps) {
  const { messages, format } = usePortal();
  const state = keyState(apiKey, now);
  const { keys } = messages;
  const { createdAt, startsAt, expiresAt, lastUsedAt, permissions } = apiKey;
  return (
    <li className="kw-key">
      <div className="kw-key-header">
        <h3>{apiKey.name}</h3>
        <span className={`kw-badge kw-badge-${state}`}>{messages.states[state]}</span>
        <code>
          <span className="kw-hidden">{keys.value} </span>
          {apiKey.key}
        </code>
      </div>
      <Actions apiKey={apiKey} state={state} onAction={onAction} />
      <dl className="kw-facts">
        <Fact name={keys.lastUsed}>
          {lastUsedAt === null ? (
            keys.notUsed
          ) : (
            <time dateTime={lastUsedAt} title={format.dateTime(Date.parse(lastUsedAt))}>
              {format.relative(Date.parse(lastUsedAt), now)}
            </time>
          )}
        </Fact>
        <Fact name={keys.created}>{format.date(Date.parse(createdAt))}</Fact>
        {state === 'notStarted' && startsAt !== null && (
          <Fact name={keys.starts}>{format.dateTime(Date.parse(startsAt))}</Fact>
        )}
        <Fact name={state === 'expired' ? keys.expired : keys.expires}>
          {expiresAt === null ? messages.never : format.dateTime(Date.parse(expiresAt))}
          {apiKey.rotatedTo !== null && isCurrent(state) && <small>{keys.replaced}</small>}
        </Fact>
        <LimitFact apiKey={apiKey} />
        <CreditsFact apiKey={apiKey} />
        {permissions.length > 0 && (
          <Fact name={keys.permissions} wide>
            {permissions.join(', ')}
          </Fact>
        )}
      </dl>
    </li>
  );
}

interface FactProps {
  readonly name: string;
  /** Has a row to itself. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

const Fact = ({ name, wide, children }: FactProps) => (
  <div className={wide ? 'kw-wide' : undefined}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** The limits of the key, if the session shows them. For a limit that is not shared, also what is left. */
function LimitFact({ apiKey }: { readonly apiKey: PortalApiKey }) {
  const { messages, format } = usePortal();
  const left = useLimits().data?.limits.filter(({ keyId }) => keyId === apiKey.id) ?? [];
  if (apiKey.limits === null) return null;
  const textOf = (limit: (typeof apiKey.limits)[number]) => {
    const rate = rateText(limit, messages, format);
    const remaining = left.find(({ name }) => name === limit.name)?.remaining;
    return remaining === undefined ? rate : messages.limits.left(format.number(remaining), rate);
  };
  return (
    <Fact name={messages.keys.limit}>
      {apiKey.limits.length === 0 && messages.keys.unlimited}
      {apiKey.limits.map((limit) => (
        <p key={limit.name}>
          {textOf(limit)}
          {limit.isShared && <small>{messages.limits.shared}</small>}
        </p>
      ))}
    </Fact>
  );
}

function CreditsFact({ apiKey: { credits } }: { readonly apiKey: PortalApiKey }) {
  const { messages, format } = usePortal();
  if (!credits) return null;
  return (
    <Fact name={messages.keys.credits}>
      {format.number(credits.remaining)}
      {credits.isShared && <small>{messages.limits.shared}</small>}
    </Fact>
  );
}

function Actions({
  apiKey,
  state,
  onAction,
}: Omit<KeyItemProps, 'now'> & { readonly state: KeyState }) {
  const { messages } = usePortal();
  const allow = usePortalSession().data?.allow ?? [];
  if (!isCurrent(state)) return null;
  const { keys } = messages;
  const button = (action: KeyAction, text: string, label: string) => (
    <Button kind="quiet" aria-label={label} onClick={() => onAction(action, apiKey)}>
      {text}
    </Button>
  );
  return (
    <div className="kw-actions">
      {allow.includes('keys:create') && button('rename', keys.rename, keys.renameKey(apiKey.name))}
      {allow.includes('keys:rotate') &&
        isRotatable(apiKey, state) &&
        button('rotate', keys.rotate, keys.rotateKey(apiKey.name))}
      {allow.includes('keys:revoke') && button('revoke', keys.revoke, keys.revokeKey(apiKey.name))}
    </div>
  );
}
