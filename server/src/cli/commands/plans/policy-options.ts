import type { OptionSpecs, ValuesOf } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { readRateLimit, withoutUndefined } from '../../values.ts';

/** Options of plans, customers and keys: what a key may do. */
export const POLICY_OPTIONS = {
  permission: {
    value: 'NAME',
    multiple: true,
    help: 'What the key may do: documents.read, documents.* or * (repeatable)',
  },
  limit: {
    value: 'NAME=N/TIME',
    multiple: true,
    help: 'A limit with a name: day=10000/1d. Append ,customer to count all keys of a customer together; ,sliding for a sliding window; ,shadow to count without refusing (repeatable)',
  },
  'allow-ip': {
    value: 'RANGE',
    multiple: true,
    help: 'An address or range the key may be used from, 203.0.113.7 or 10.0.0.0/8 (repeatable)',
  },
} as const satisfies OptionSpecs;

export const CLEARABLE_POLICIES = {
  permission: 'permissions',
  limit: 'limits',
  'allow-ip': 'allowedIPs',
};

export const policyFields = (values: ValuesOf<typeof POLICY_OPTIONS>): Record<string, unknown> =>
  withoutUndefined({
    permissions: values.permission,
    limits: values.limit?.map(readNamedLimit),
    allowedIPs: values['allow-ip'],
  });

const WORDS: Readonly<Record<string, object>> = {
  customer: { per: 'customer' },
  sliding: { algorithm: 'sliding' },
  shadow: { mode: 'shadow' },
};

/** `day=10000/1d,customer,sliding`. */
export function readNamedLimit(text: string): object {
  const [limit = '', ...words] = text.split(',');
  const [name = '', rate] = limit.split('=', 2);
  if (name === '' || rate === undefined)
    throw new UsageError(`--limit takes NAME=REQUESTS/TIME, like day=10000/1d; not ${text}`);
  const unknown = words.find((word) => !Object.hasOwn(WORDS, word));
  if (unknown !== undefined)
    throw new UsageError(
      `--limit takes customer, sliding and shadow after a comma; not ${unknown}`,
    );
  return Object.assign({ name, ...readRateLimit(rate, '--limit') }, ...words.map((w) => WORDS[w]));
}
