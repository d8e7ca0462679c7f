import { REQUESTS } from '@keyward/rules/cost.ts';
import { durationText, exactTime } from '../time/times.ts';

/** Value of a rate-limit field. */
export interface LimitChoice {
  readonly on: boolean;
  readonly requests: string;
  readonly length: string;
  readonly unit: LimitUnit;
}

export type LimitUnit = 'second' | 'minute' | 'hour' | 'day';

const SECONDS: Record<LimitUnit, number> = { day: 86_400, hour: 3_600, minute: 60, second: 1 };
const UNITS = Object.keys(SECONDS) as LimitUnit[];
const WINDOW_SECONDS_MAX = 31 * SECONDS.day;

export type CalendarInterval = 'day' | 'week' | 'month';

/** The `anchor` that is that of each customer. */
export const CUSTOMER_ANCHOR = 'customer';

interface Configs {
  readonly rateLimit: number;
  readonly rateLimitTtl: number;
}

/** The field value for the limit of a record. Without a limit it is off, with a default prefilled. */
export function limitChoice(configs: Configs | null): LimitChoice {
  if (!configs) return { on: false, requests: '100', length: '1', unit: 'minute' };
  const unit = UNITS.find((one) => configs.rateLimitTtl % SECONDS[one] === 0)!;
  return {
    on: true,
    requests: String(configs.rateLimit),
    length: String(configs.rateLimitTtl / SECONDS[unit]),
    unit,
  };
}

/** A limit of a plan, a customer or a key. */
export interface NamedLimit {
  readonly name: string;
  readonly rateLimit: number;
  readonly rateLimitTtl?: number;
  readonly unit?: string;
  readonly for?: string[];
  readonly interval?: CalendarInterval;
  readonly timezone?: string;
  readonly anchor?: string;
  readonly per: 'key' | 'customer';
  readonly algorithm: 'fixed' | 'sliding';
  readonly mode: 'enforce' | 'shadow';
}

export type ChosenLimit =
  | { readonly ok: true; readonly configs: Configs | null }
  | { readonly ok: false; readonly message: string };

export const chosenLimit = (choice: LimitChoice): ChosenLimit =>
  choice.on ? chosenWindow(choice) : { ok: true, configs: null };

type ChosenWindow =
  | { readonly ok: true; readonly configs: Configs }
  | { readonly ok: false; readonly message: string };

/** The limit of a field that cannot be off. */
export function chosenWindow({ requests, length, unit }: Omit<LimitChoice, 'on'>): ChosenWindow {
  const rateLimit = Number(requests);
  const rateLimitTtl = Number(length) * SECONDS[unit];
  if (!isCount(rateLimit))
    return wrong('Enter the number of requests as a whole number, 1 or more.');
  if (!isCount(rateLimitTtl)) return wrong('Enter the window length as a whole number.');
  if (rateLimitTtl > WINDOW_SECONDS_MAX) return wrong('The window can be at most 31 days.');
  return { ok: true, configs: { rateLimit, rateLimitTtl } };
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
const wrong = (message: string) => ({ ok: false, message }) as const;

type Rate = Pick<NamedLimit, 'rateLimit' | 'rateLimitTtl' | 'unit' | 'interval'>;

/** `100 requests per minute`, `10 requests per 5 minutes`, `5,000 tokens per calendar month`. */
export function limitText(limit: Rate | null): string {
  if (!limit) return 'No limit';
  const { rateLimit, unit = rateLimit === 1 ? 'request' : REQUESTS } = limit;
  return `${rateLimit.toLocaleString('en')} ${unit} per ${windowText(limit)}`;
}

/** `minute`, `5 minutes`, `calendar month`. */
function windowText({ rateLimitTtl = 0, interval }: Omit<Rate, 'rateLimit'>): string {
  if (interval !== undefined) return `calendar ${interval}`;
  return UNITS.find((one) => SECONDS[one] === rateLimitTtl) ?? durationText(rateLimitTtl);
}

/** What a limit does besides its number: what it is for, who shares it, its window, and whether it refuses. */
export const limitConditions = ({
  per,
  algorithm,
  mode,
  for: patterns,
  timezone,
  anchor,
}: Omit<NamedLimit, 'name' | 'rateLimit'>): string[] => [
  ...(patterns ? [`only for ${patterns.join(', ')}`] : []),
  ...(timezone ? [`in ${timezone}`] : []),
  ...(anchor ? [anchorText(anchor)] : []),
  ...(per === 'customer' ? ['shared by all keys of the customer'] : []),
  ...(algorithm === 'sliding' ? ['sliding window'] : []),
  ...(mode === 'shadow' ? ['reported only'] : []),
];

/** `day: 1,000 requests per day, shared by all keys of the customer`. */
export const namedLimitText = (limit: NamedLimit): string =>
  `${limit.name}: ${[limitText(limit), ...limitConditions(limit)].join(', ')}`;

const anchorText = (anchor: string): string =>
  anchor === CUSTOMER_ANCHOR
    ? 'counted from the anchor of the customer'
    : `counted from ${exactTime(Date.parse(anchor))}`;
