import { durationText } from './times.ts';

/** The two numbers of a rate limit as they stand in a form. */
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

/** The choice that stands for what a record has; none is off, with a sensible limit at hand. */
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
  if (!isCount(rateLimit)) return wrong('Write how many requests, as a whole number from 1 on.');
  if (!isCount(rateLimitTtl)) return wrong('Write how long a window is, as a whole number.');
  if (rateLimitTtl > WINDOW_SECONDS_MAX) return wrong('A window lasts 31 days at most.');
  return { ok: true, configs: { rateLimit, rateLimitTtl } };
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
const wrong = (message: string): ChosenLimit => ({ ok: false, message });

/** `100 requests a minute`, `10 requests in 5 minutes`. */
export function limitText(configs: Configs | null): string {
  if (!configs) return 'No limit';
  const { rateLimit, rateLimitTtl } = configs;
  const amount = `${rateLimit.toLocaleString('en')} ${rateLimit === 1 ? 'request' : 'requests'}`;
  const unit = UNITS.find((one) => SECONDS[one] === rateLimitTtl);
  if (unit) return `${amount} ${unit === 'hour' ? 'an' : 'a'} ${unit}`;
  return `${amount} in ${durationText(rateLimitTtl)}`;
}
