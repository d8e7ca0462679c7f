import { durationText } from './times.ts';

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

export type ChosenLimit =
  | { readonly ok: true; readonly configs: Configs | null }
  | { readonly ok: false; readonly message: string };

export function chosenLimit({ on, requests, length, unit }: LimitChoice): ChosenLimit {
  if (!on) return { ok: true, configs: null };
  const rateLimit = Number(requests);
  const rateLimitTtl = Number(length) * SECONDS[unit];
  if (!isCount(rateLimit))
    return wrong('Enter the number of requests as a whole number, 1 or more.');
  if (!isCount(rateLimitTtl)) return wrong('Enter the window length as a whole number.');
  if (rateLimitTtl > WINDOW_SECONDS_MAX) return wrong('The window can be at most 31 days.');
  return { ok: true, configs: { rateLimit, rateLimitTtl } };
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
const wrong = (message: string): ChosenLimit => ({ ok: false, message });

/** `100 requests per minute`, `10 requests per 5 minutes`. */
export function limitText(configs: Configs | null): string {
  if (!configs) return 'No limit';
  const { rateLimit, rateLimitTtl } = configs;
  const amount = `${rateLimit.toLocaleString('en')} ${rateLimit === 1 ? 'request' : 'requests'}`;
  const unit = UNITS.find((one) => SECONDS[one] === rateLimitTtl);
  if (unit) return `${amount} per ${unit}`;
  return `${amount} per ${durationText(rateLimitTtl)}`;
}
