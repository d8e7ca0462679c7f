import type { Project } from 'keyward';
import { TextField } from '../../components/forms/field.tsx';
import { Select } from '../../components/forms/select.tsx';

/** Values of the form, as text. */
interface Draft {
  readonly expiryDays: string;
  readonly thresholds: string;
  readonly mailTo: string;
  readonly usage: 'off' | 'hour key' | 'hour customer' | 'day key' | 'day customer';
}

export const noticesOf = ({ notices, usageEvents }: Project): Draft => ({
  expiryDays: notices.expiryDays.join(', '),
  thresholds: notices.thresholds.map((share) => Math.round(share * 100)).join(', '),
  mailTo: notices.mailTo.join(', '),
  usage: usageEvents === null ? 'off' : `${usageEvents.interval} ${usageEvents.groupBy}`,
});

const listOf = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((part) => part.replace(/%$/, ''))
    .filter((part) => part !== '');

const isWithin = (text: string, from: number, to: number): boolean =>
  listOf(text).every((part) => /^\d+$/.test(part) && Number(part) >= from && Number(part) <= to);

const distinct = (text: string): string[] => [...new Set(listOf(text))];

type Errors = Partial<Record<'expiryDays' | 'thresholds' | 'mailTo', string>>;

export const noticeErrors = ({ expiryDays, thresholds, mailTo }: Draft): Errors => ({
  ...(!isWithin(expiryDays, 1, 365) && { expiryDays: 'Enter whole days from 1 to 365.' }),
  ...(!isWithin(thresholds, 1, 100) && { thresholds: 'Enter percentages from 1 to 100.' }),
  ...(listOf(mailTo).some((part) => !part.includes('@')) && {
    mailTo: 'Enter email addresses, separated by commas.',
  }),
});

/** The settings to send. Lists are sorted as the server sorts them, so that the same list is no change. */
export function settingsOf(draft: Draft): Pick<Project, 'notices' | 'usageEvents'> {
  const [interval, groupBy] = draft.usage.split(' ') as ['hour' | 'day', 'key' | 'customer'];
  return {
    notices: {
      expiryDays: distinct(draft.expiryDays)
        .map(Number)
        .sort((a, b) => b - a),
      thresholds: distinct(draft.thresholds)
        .map((part) => Number(part) / 100)
        .sort((a, b) => a - b),
      mailTo: distinct(draft.mailTo.toLowerCase()),
    },
    usageEvents: draft.usage === 'off' ? null : { interval, groupBy },
  };
}

interface NoticeFieldsProps {
  readonly draft: Draft;
  readonly errors: Errors;
  onChange(draft: Draft): void;
}

export function NoticeFields({ draft, errors, onChange }: NoticeFieldsProps) {
  const change = (part: Partial<Draft>) => onChange({ ...draft, ...part });
  return (
    <fieldset className="flex min-w-0 flex-col gap-4 border-line border-t pt-4">
      <legend className="sr-only">Notices</legend>
      <TextField
        label="Announce expiring keys"
        value={draft.expiryDays}
        onChange={(expiryDays) => change({ expiryDays })}
        error={errors.expiryDays}
        hint="Days before a key expires. Leave it empty to announce only that it has expired."
        autoComplete="off"
      />
      <TextField
        label="Announce limits that are nearly used up"
        value={draft.thresholds}
        onChange={(thresholds) => change({ thresholds })}
        error={errors.thresholds}
        hint="Percentages of a limit. 100 means that nothing is left."
        autoComplete="off"
      />
      <TextField
        label="Email addresses"
        optional
        value={draft.mailTo}
        onChange={(mailTo) => change({ mailTo })}
        error={errors.mailTo}
        hint="They get at most one email a day about each: expiring keys, limits, credits."
        autoComplete="off"
      />
      <Select
        label="Usage events"
        value={draft.usage}
        options={USAGE}
        onChange={(usage) => change({ usage })}
        hint="For webhooks with the topic usage.period."
      />
    </fieldset>
  );
}

const USAGE = [
  { value: 'off', label: 'None' },
  { value: 'hour key', label: 'Every hour, by key' },
  { value: 'hour customer', label: 'Every hour, by customer' },
  { value: 'day key', label: 'Every day, by key' },
  { value: 'day customer', label: 'Every day, by customer' },
] as const;
