import Type, { type Static } from 'typebox';
import { readEmail } from '../../kernel/email.ts';
import { strict } from '../../kernel/schemas.ts';
import { chunksOf, type Tx } from '../../storage/index.ts';

const STEPS_MAX = 10;

/** How soon the same threshold of a limit may be announced again. */
export const REPEAT_AFTER_MS = 3_600_000;

const ExpiryDays = Type.Array(Type.Integer({ minimum: 1, maximum: 365 }), {
  maxItems: STEPS_MAX,
  uniqueItems: true,
  description:
    'Days before the expiry of a key at which `api-key.expiring` is sent. If several are due at once, only the smallest is sent.',
  examples: [[30, 7, 1]],
});

const Thresholds = Type.Array(Type.Number({ minimum: 0.01, maximum: 1 }), {
  maxItems: STEPS_MAX,
  uniqueItems: true,
  description:
    'The shares of a limit at which `limit.threshold` is sent: once per window, and at most once an hour. Rounded to hundredths. 1: nothing is left.',
  examples: [[0.8, 1]],
});

const MailTo = Type.Array(Type.String({ minLength: 1, maxLength: 254 }), {
  maxItems: 20,
  uniqueItems: true,
  description:
    'Email addresses that get a summary of these notices: at most one email a day for expiring keys, one for limits and one for credits.',
  examples: [['ops@example.com']],
});

const fields = { expiryDays: ExpiryDays, thresholds: Thresholds, mailTo: MailTo };

/** What a project announces about its keys. */
export const Notices = Type.Object(fields, {
  title: 'Notices',
  description: 'When to send notices about keys that expire and limits that are nearly used up.',
});
export type Notices = Static<typeof Notices>;

/** Unset fields keep their value. */
export const NoticesInput = strict(
  {
    expiryDays: Type.Optional(ExpiryDays),
    thresholds: Type.Optional(Thresholds),
    mailTo: Type.Optional(MailTo),
  },
  'NoticesInput',
);
export type NoticesInput = Static<typeof NoticesInput>;

const usageFields = {
  interval: Type.Enum(['hour', 'day'], { description: 'The length of a period, in UTC.' }),
  groupBy: Type.Enum(['key', 'customer'], { description: 'What a row counts.' }),
};

/** Whether and how a project sends `usage.period`. */
export const UsageEvents = Type.Object(usageFields, {
  title: 'UsageEvents',
  description: 'Sends `usage.period` events. Null: none.',
});
export type UsageEvents = Static<typeof UsageEvents>;

/** The length of a period. */
export const PERIOD_MS: Record<UsageEvents['interval'], number> = {
  hour: 3_600_000,
  day: 86_400_000,
};

export const UsageEventsInput = strict(usageFields, 'UsageEventsInput');

const DEFAULT_NOTICES: Notices = { expiryDays: [30, 7, 1], thresholds: [0.8, 1], mailTo: [] };

/** The stored settings, or the default if none are stored. */
export const noticesOf = (text: string | null): Notices =>
  text === null ? DEFAULT_NOTICES : JSON.parse(text);

/** The settings of the projects of these keys, by project. */
export async function noticesOfProjects(
  tx: Tx,
  keys: Iterable<{ readonly project_id: string }>,
): Promise<ReadonlyMap<string, Notices>> {
  const ids = new Set(Array.from(keys, ({ project_id }) => project_id));
  const settings = new Map<string, Notices>();
  for (const chunk of chunksOf([...ids])) {
    const rows = await tx
      .selectFrom('projects')
      .select(['id', 'notices'])
      .where('id', 'in', chunk)
      .execute();
    for (const { id, notices } of rows) settings.set(id, noticesOf(notices));
  }
  return settings;
}

export const usageEventsOf = (text: string | null): UsageEvents | null =>
  text === null ? null : JSON.parse(text);

const toHundredths = (share: number): number => Math.round(share * 100) / 100;

/** The settings after a change, to be stored. */
export function noticesText(before: string | null, input: NoticesInput): string {
  const { expiryDays, thresholds, mailTo } = { ...noticesOf(before), ...input };
  return JSON.stringify({
    expiryDays: expiryDays.toSorted((a, b) => b - a),
    thresholds: [...new Set(thresholds.map(toHundredths))].sort((a, b) => a - b),
    mailTo: [...new Set(mailTo.map((address) => readEmail(address, 'notices.mailTo')))],
  });
}

const percentsOf = ({ thresholds }: Notices): readonly number[] =>
  thresholds.map((share) => Math.round(share * 100));

const DEFAULT_PERCENTS = percentsOf(DEFAULT_NOTICES);

/** The thresholds in per cent, ascending. */
export const thresholdsOf = (text: string | null): readonly number[] =>
  text === null ? DEFAULT_PERCENTS : percentsOf(noticesOf(text));
