import type { Credits } from 'keyward';
import type { ReactNode } from 'react';
import { DateTime } from '../../components/display/date-time.tsx';
import { refillText } from '../../text/limits/credits.ts';
import { counted, wholeNumber } from '../../text/numbers.ts';

interface CreditsLeftProps {
  readonly credits: Credits;
  /** Whose credits they are. */
  readonly owner?: ReactNode;
}

/** The number of credits left, and the next refill. */
export function CreditsLeft({ credits, owner }: CreditsLeftProps) {
  const { remaining, refill, nextRefillAt } = credits;
  return (
    <div>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-semibold text-2xl tabular-nums tracking-tight">
          {wholeNumber(remaining)}
        </span>
        <span className="text-muted">{counted(remaining, 'credit').split(' ')[1]} left</span>
      </div>
      <p className="text-muted text-sm">
        {owner}
        {owner && ' · '}
        {refill && nextRefillAt ? (
          <>
            Next refill <DateTime at={nextRefillAt} form="upcoming" />: {refillText(refill)}
          </>
        ) : (
          'Not refilled automatically'
        )}
      </p>
      {remaining === 0 && (
        <p className="mt-1 text-bad text-sm">
          Requests are refused with 429 until credits are added{refill ? ' or refilled' : ''}.
        </p>
      )}
    </div>
  );
}
