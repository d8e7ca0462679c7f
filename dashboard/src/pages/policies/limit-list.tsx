import type { ReactNode } from 'react';
import { Badge } from '../../components/display/badge.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import type { Level } from '../../text/limits/levels.ts';
import { limitConditions, limitText, type NamedLimit } from '../../text/limits/limits.ts';
import { wholeNumber } from '../../text/numbers.ts';

export interface ShownLimit extends NamedLimit {
  /** Where it is set; omitted if there is only one level. */
  readonly level?: Level;
  /** What is left now, if known. */
  readonly remaining?: number;
  /** When the window ends; null if none is open. */
  readonly resetAt?: string | null;
}

interface LimitListProps {
  readonly label: string;
  readonly limits: readonly ShownLimit[];
  /** Text of a level, usually with a link. */
  levelText?(level: Level): ReactNode;
}

/** Limits in words, with their level and what is left of each. */
export const LimitList = ({ label, limits, levelText }: LimitListProps) => (
  <ul aria-label={label} className="flex flex-col gap-4">
    {limits.map((limit) => (
      <li key={limit.name}>
        <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
          <span className="font-medium">{limitText(limit)}</span>
          <code className="text-faint">{limit.name}</code>
          {limit.mode === 'shadow' && <Badge tone="warn">Shadow</Badge>}
        </div>
        <About limit={limit} level={limit.level && levelText?.(limit.level)} />
        {limit.remaining !== undefined && (
          <Left remaining={limit.remaining} of={limit.rateLimit} resetAt={limit.resetAt ?? null} />
        )}
      </li>
    ))}
  </ul>
);

interface AboutProps {
  readonly limit: NamedLimit;
  readonly level: ReactNode;
}

function About({ limit, level }: AboutProps) {
  const conditions = limitConditions(limit).join(', ');
  if (!level && conditions === '') return null;
  return (
    <p className="text-muted text-sm">
      {level}
      {level && conditions && ' · '}
      {conditions && conditions[0]!.toUpperCase() + conditions.slice(1)}
    </p>
  );
}

interface LeftProps {
  readonly remaining: number;
  readonly of: number;
  readonly resetAt: string | null;
}

/** The bar is decorative: the numbers are also given as text. */
function Left({ remaining, of, resetAt }: LeftProps) {
  const left = Math.max(0, remaining);
  return (
    <>
      <div aria-hidden className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-hover">
        <div
          className={left === 0 ? 'h-full bg-bad' : 'h-full rounded-full bg-chart-1'}
          style={{ width: left === 0 ? '100%' : `${(100 * left) / of}%` }}
        />
      </div>
      <p className="mt-1 text-muted text-sm tabular-nums">
        {wholeNumber(left)} of {wholeNumber(of)} left
        {resetAt !== null && (
          <>
            {', resets '}
            <DateTime at={resetAt} form="upcoming" />
          </>
        )}
      </p>
    </>
  );
}
