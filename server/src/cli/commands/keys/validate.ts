import { isRefusalCode } from '@keyward/rules/outcomes.ts';
import { KeywardError } from 'keyward';
import type { Api } from '../../api.ts';
import { resourceCommand } from '../../resource-command.ts';
import { cell, printable } from '../../terminal/cell.ts';
import type { Row } from '../../terminal/table.ts';
import { readSecretArgument } from '../../values.ts';
import {
  CONDITION_OPTIONS,
  type ConditionValues,
  conditionFields,
  missingText,
} from './conditions.ts';

export const validateKey = resourceCommand({
  words: 'keys validate',
  summary: 'Validate an API key',
  details:
    'Exit code 0: valid, 1: refused. This counts as a use of the key, and takes from its limits and credits.',
  args: [
    {
      name: 'VALUE',
      help: 'The value of the key; - reads it from standard input, which keeps it out of the shell history',
    },
  ],
  options: CONDITION_OPTIONS,
  examples: [
    'npx keyward keys validate - < key.txt',
    'npx keyward keys validate live_… --json',
    'npx keyward keys validate - --permission documents.read --ip 203.0.113.7 < key.txt',
    'if npx keyward keys validate "$KEY" > /dev/null; then echo welcome; fi',
  ],
  async run({ api, out, values, args, terminal }) {
    const key = await readSecretArgument(terminal, args[0]!);
    const output = await validate(api, key, values);
    if (!output.valid) {
      const { message, code, body } = output.refusal;
      const { missing = [] } = (body ?? {}) as { missing?: readonly string[] };
      const text = `${message} (${[code, ...missingText(missing)].join(', ')})`;
      out.done(`${terminal.style('red', 'refused')}  ${printable(text)}`, body);
      return 1;
    }
    const { record } = output;
    const left = [
      ...(output.remaining === null ? [] : [`, ${output.remaining} requests left in this window`]),
      ...(output.credits === null ? [] : [`, ${output.credits} credits left`]),
    ].join('');
    const line = `${cell(record.name)} (${cell(record.id)}, ${cell(record.env)})${left}`;
    return out.done(`${terminal.style('green', 'valid')}  ${line}`, record);
  },
});

type ValidationOutput =
  | {
      readonly valid: true;
      readonly record: Row;
      readonly remaining: string | null;
      readonly credits: string | null;
    }
  | { readonly valid: false; readonly refusal: KeywardError };

/** The key is sent in the body, because paths appear in logs. */
async function validate(api: Api, key: string, values: ConditionValues): Promise<ValidationOutput> {
  const { origin } = values;
  const headers: Record<string, string> = origin === undefined ? {} : { 'x-origin-domain': origin };
  const body = { key, ...conditionFields(values) };
  try {
    const response = await api.request('validateApiKeys', { body, headers });
    const remaining = response.headers.get('ratelimit-remaining');
    const credits = response.headers.get('credits-remaining');
    return { valid: true, record: response.body as unknown as Row, remaining, credits };
  } catch (error) {
    if (error instanceof KeywardError && isRefusalCode(error.code))
      return { valid: false, refusal: error };
    throw error;
  }
}
