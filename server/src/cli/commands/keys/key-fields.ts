import type { OptionSpecs, ValuesOf } from '../../command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readMetadata, readRateLimit, readSecretArgument, withoutUndefined } from '../../values.ts';
import { CREDIT_OPTIONS, creditFields } from '../plans/credit-options.ts';
import { POLICY_OPTIONS, policyFields } from '../plans/policy-options.ts';

/** Options of both create and update. */
export const KEY_FIELD_OPTIONS = {
  metadata: { value: 'JSON', help: `Custom metadata, as a JSON object: '{"plan":"pro"}'` },
  expiry: {
    value: 'TIME',
    help: '2030-01-01, 2030-01-01T12:00:00Z or "2030-01-01 12:00:00" (UTC)',
  },
  'rate-limit': {
    value: 'N/SECONDS',
    help: '10/60: ten requests a minute. Also 1000/1h, 50000/1d',
  },
  domain: {
    value: 'HOST',
    multiple: true,
    help: 'A host the key may be used from, app.example.com or *.example.com (repeatable)',
  },
  plan: { value: 'ID', help: 'The plan (pln_…). Default: that of the customer or the project' },
  ...POLICY_OPTIONS,
  ...CREDIT_OPTIONS,
  starts: { value: 'TIME', help: 'The key is refused before this time; written like --expiry' },
  tag: { value: 'TAG', multiple: true, help: 'A label to filter keys by (repeatable)' },
  'account-id': { value: 'ID', help: 'Your id of the customer who gets the key' },
  'user-id': { value: 'ID', help: 'Your id of the user who gets the key' },
  key: {
    value: 'VALUE',
    help: 'Your own value instead of a generated one; - reads it from standard input',
  },
} as const satisfies OptionSpecs;

export async function keyFields(
  values: ValuesOf<typeof KEY_FIELD_OPTIONS>,
  terminal: Terminal,
): Promise<Record<string, unknown>> {
  const { metadata, key } = values;
  const limit = values['rate-limit'];
  return withoutUndefined({
    customMetaData: metadata === undefined ? undefined : readMetadata(metadata),
    expiry: values.expiry,
    rateLimitConfigs: limit === undefined ? undefined : readRateLimit(limit),
    allowedDomains: values.domain,
    planId: values.plan,
    ...policyFields(values),
    ...creditFields(values),
    startsAt: values.starts,
    tags: values.tag,
    customAccountId: values['account-id'],
    customUserId: values['user-id'],
    key: key === undefined ? undefined : await readSecretArgument(terminal, key),
  });
}

export const KEY_ARGUMENT = {
  name: 'KEY',
  help: 'The id (key_…) or the value of the key; - reads it from standard input',
};

export const keyPath = async (terminal: Terminal, argument: string) => ({
  key: await readSecretArgument(terminal, argument),
});
