import { useNow } from '../../hooks/use-now.ts';
import { useTimeZone } from '../../text/time/time-zone.ts';
import { dateText, exactTime, relativeTime } from '../../text/time/times.ts';

interface DateTimeProps {
  /** ISO 8601 or milliseconds; null shows `none`. */
  readonly at: string | number | null;
  readonly none?: string;
  /** `relative` is for past times, `upcoming` for future ones, `deadline` for both. */
  readonly form?: 'relative' | 'upcoming' | 'deadline' | 'date' | 'exact';
}

/** A time as text, with the exact time as its title and in `datetime`. */
export function DateTime({ at, none = '—', form = 'relative' }: DateTimeProps) {
  const now = useNow();
  // Renders again when the time zone changes.
  useTimeZone();
  if (at === null) return <span className="text-faint">{none}</span>;
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const text = {
    // The server's clock may be ahead of this one. A past event is never shown in the future.
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
