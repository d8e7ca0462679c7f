import { useNow } from '../../hooks/use-now.ts';
import { dateText, exactTime, relativeTime } from '../../text/times.ts';

interface DateTimeProps {
  /** ISO 8601 or milliseconds; null is a dash, or what `none` says. */
  readonly at: string | number | null;
  readonly none?: string;
  readonly form?: 'relative' | 'date' | 'exact';
}

/** A time as people say it; the exact one is its title, and there for machines. */
export function DateTime({ at, none = '—', form = 'relative' }: DateTimeProps) {
  const now = useNow();
  if (at === null) return <span className="text-faint">{none}</span>;
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const text = {
    relative: () => relativeTime(ms, now),
    date: () => dateText(ms),
    exact: () => exactTime(ms),
  };
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactTime(ms)} className="whitespace-nowrap">
      {text[form]()}
    </time>
  );
}
