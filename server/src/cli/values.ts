import { costInput, InvalidCost, readCostText } from '@keyward/rules/cost.ts';
import { UsageError } from './failure.ts';
import type { Terminal } from './terminal/terminal.ts';

const UNIT_SECONDS: Record<string, number> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** Parses `90`, `90s`, `15m`, `24h` or `7d` into seconds. */
export function readSeconds(text: string, option: string): number {
  const match = /^(\d{1,9})([smhd]?)$/.exec(text);
  if (!match)
    throw new UsageError(
      `${option} takes seconds, or a time like 15m, 24h or 7d; not ${JSON.stringify(text)}`,
    );
  return Number(match[1]) * UNIT_SECONDS[match[2]!]!;
}

/** `10/60`: ten requests in sixty seconds. */
export function readRateLimit(
  text: string,
  option = '--rate-limit',
): { rateLimit: number; rateLimitTtl: number } {
  const match = /^(\d{1,13})\/(.+)$/.exec(text);
  if (!match)
    throw new UsageError(
      `${option} takes REQUESTS/SECONDS, like 10/60; not ${JSON.stringify(text)}`,
    );
  return { rateLimit: Number(match[1]), rateLimitTtl: readSeconds(match[2]!, option) };
}

const LIMIT_WORDS: Readonly<Record<string, object>> = {
  customer: { per: 'customer' },
  sliding: { algorithm: 'sliding' },
  shadow: { mode: 'shadow' },
};

/** Settings with a value, by what stands before the first colon. `for` can be repeated. */
const LIMIT_VALUES = ['unit', 'for', 'timezone', 'anchor'] as const;

/** `day=10000/1d,customer,sliding`, `tokens=1000000/month,unit:tokens,for:POST:/v1/chat*`. */
export function readNamedLimit(text: string): object {
  const [limit = '', ...words] = text.split(',');
  const [name = '', rate] = limit.split('=', 2);
  if (name === '' || rate === undefined)
    throw new UsageError(`--limit takes NAME=REQUESTS/TIME, like day=10000/1d; not ${text}`);
  const settings: Record<string, unknown> = { name, ...readRate(rate) };
  for (const word of words) {
    const [setting = '', ...parts] = word.split(':');
    const value = parts.join(':');
    if (Object.hasOwn(LIMIT_WORDS, word)) Object.assign(settings, LIMIT_WORDS[word]);
    else if (value === '' || !LIMIT_VALUES.some((each) => each === setting))
      throw new UsageError(
        `--limit takes customer, sliding, shadow, unit:UNIT, for:PATTERN, timezone:ZONE and anchor:TIME after a comma; not ${word}`,
      );
    else if (setting === 'for') settings.for = [...((settings.for as string[]) ?? []), value];
    else settings[setting] = value;
  }
  return settings;
}

/** `10000/1d`, or `10000/month` for the calendar. */
function readRate(text: string): object {
  const [, amount, interval] = /^(\d{1,13})\/(day|week|month)$/.exec(text) ?? [];
  return interval === undefined
    ? readRateLimit(text, '--limit')
    : { rateLimit: Number(amount), interval };
}

/** `3`, or `tokens:1200,credits:3`. */
export function readCostOption(text: string): ReturnType<typeof costInput> {
  try {
    return costInput(readCostText(text));
  } catch (error) {
    if (error instanceof InvalidCost) throw new UsageError(`--cost ${error.message}`);
    throw error;
  }
}

/** `1000/month,Europe/Berlin`. */
export function readRefill(text: string): object {
  const match = /^(\d{1,15})\/([a-z]+)(?:,(.+))?$/.exec(text);
  if (match === null)
    throw new UsageError(
      `--refill takes N/INTERVAL, like 1000/month or 1000/month,Europe/Berlin; not ${text}`,
    );
  const [, amount, interval, timezone] = match;
  return withoutUndefined({ amount: Number(amount), interval, timezone });
}

export function readMetadata(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`--metadata takes a JSON object, like '{"plan":"pro"}'`);
  return value as Record<string, unknown>;
}

export function readLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw new UsageError('--limit takes a number from 1 to 1000');
  return limit;
}

export function readInteger(text: string, option: string): number {
  if (!/^-?\d{1,15}$/.test(text))
    throw new UsageError(`${option} takes a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

/** `-` reads standard input: a value typed as an argument would stay in the shell history. */
export const readSecretArgument = (terminal: Terminal, text: string): Promise<string> =>
  text === '-' ? terminal.readInput() : Promise.resolve(text);

/** For `rename`, which takes the name as --name, like `create`, or as its last argument. */
export const NEW_NAME = {
  option: { name: { value: 'NAME', help: 'The new name' } },
  argument: { name: 'NAME', help: 'The same as --name', optional: true },
} as const;

export function readNewName(option: string | undefined, argument: string | undefined): string {
  const name = option ?? argument;
  if (name === undefined) throw new UsageError('--name is missing');
  if (option !== undefined && argument !== undefined)
    throw new UsageError('the name is given twice: use --name only');
  return name;
}

/** Requires a confirmation for an irreversible change: at the terminal, or with --yes. */
export async function confirm(
  terminal: Terminal,
  yes: boolean | undefined,
  question: string,
): Promise<void> {
  if (yes) return;
  if (terminal.ask === undefined) throw new UsageError(`${question} Add --yes to confirm`);
  const answer = await terminal.ask(`${question} Type yes to continue: `);
  if (answer.trim().toLowerCase() !== 'yes') throw new Error('nothing was changed.');
}

/** Removes undefined fields. */
export const withoutUndefined = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
