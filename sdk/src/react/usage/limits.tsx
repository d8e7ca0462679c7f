import type { PortalLimit } from '../client/records.ts';
import { usePortal } from '../state/context.ts';
import { useLimits } from '../state/hooks.ts';
import { useNow } from '../state/use-now.ts';
import { Section } from '../ui/section.tsx';
import { rateText } from './limit-text.ts';

/** The limits and credits that all keys of the customer share. Nothing, if there are none. */
export function Limits() {
  const { messages, format } = usePortal();
  const { data } = useLimits();
  const shared = data?.limits.filter(({ keyId }) => keyId === null) ?? [];
  const credits = data?.credits ?? null;
  if (shared.length === 0 && credits === null) return null;
  return (
    <Section title={messages.limits.title}>
      <ul className="kw-limits">
        {credits && (
          <li>
            <h3>{messages.keys.credits}</h3>
            <p className="kw-figure">{format.number(credits.remaining)}</p>
            {credits.nextRefillAt !== null && (
              <p className="kw-muted">
                {messages.limits.refill(format.dateTime(Date.parse(credits.nextRefillAt)))}
              </p>
            )}
          </li>
        )}
        {shared.map((limit) => (
          <SharedLimit key={limit.name} limit={limit} />
        ))}
      </ul>
    </Section>
  );
}

function SharedLimit({ limit }: { readonly limit: PortalLimit }) {
  const { messages, format } = usePortal();
  const { limits } = messages;
  const now = useNow();
  const { rateLimit, remaining, resetAt } = limit;
  const used = rateLimit - remaining;
  const rate = rateText(limit, messages, format);
  return (
    <li>
      <h3>{rate}</h3>
      <p>{limits.used(format.number(used), format.number(rateLimit))}</p>
      <svg className="kw-meter" aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none">
        <rect width={(used / rateLimit) * 100} height="4" />
      </svg>
      <p className="kw-muted">
        {resetAt !== null && used > 0
          ? limits.resets(format.relative(Date.parse(resetAt), now))
          : limits.shared}
      </p>
    </li>
  );
}
