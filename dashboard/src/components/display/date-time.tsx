import { useNow } from '../../hooks/use-now.ts';
import { useTimeZone } from '../../text/time-zone.ts';
import { dateText, exactTime, relativeTime } from '../../text/times.ts';

interface DateTimeProps {
  /** ISO 8601 or milliseconds; null shows `none`. */
  readonly at: string | number | null;
  readonly none?: string;
  /** `relative` is for past events, `upcoming` for those to come, `deadline` for either. */
  readonly form?: 'relative' | 'upcoming' | 'deadline' | 'date' | 'exact';
}

/** A time in words, with the exact time as its title and in `datetime`. */
export function DateTime({ at, none = '—', form = 'relative' }: DateTimeProps) {
  const now = useNow();
  // Draws the time again when the zone is changed.
  useTimeZone();
  if (at === null) return <span className="text-faint">{none}</span>;
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const text = {
    // The server's clock may be ahead of this one: what has happened is never in the future.
    relative: () => relativeTime(Math.min(ms, now), now),
    upcoming: () => relativeTime(Math.max(ms, now), now),
    deadline: () => relativeTime(ms, now),
    date: () => dateText(ms),
    exact: () => exactTime(ms),
  };
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactTime(ms)} className="whitespace-nowrap">
      {text[form]()}
    </time>
  );
}
