import { KeywardError } from 'keyward';
import type { Api } from '../../api.ts';
import { resourceCommand } from '../../resource-command.ts';
import { cell, printable } from '../../terminal/cell.ts';
import type { Row } from '../../terminal/table.ts';
import { readSecretArgument } from '../../values.ts';

/** Codes about the key, not about the request. */
const VERDICTS = /^(key_.*|domain_denied|rate_limited)$/;

export const validateKey = resourceCommand({
  words: 'keys validate',
  summary: 'Validate an API key',
  details:
    'Exit code 0: valid, 1: refused. This counts as a use of the key, also against its rate limit.',
  args: [
    {
      name: 'VALUE',
      help: 'The value of the key; - reads it from standard input, which keeps it out of the shell history',
    },
  ],
  options: {
    origin: { value: 'HOST', help: 'The host the key is used from, for keys with --domain' },
  },
  examples: [
    'npx keyward keys validate - < key.txt',
    'npx keyward keys validate live_… --json',
    'if npx keyward keys validate "$KEY" > /dev/null; then echo welcome; fi',
  ],
  async run({ api, out, values, args, terminal }) {
    const key = await readSecretArgument(terminal, args[0]!);
    const verdict = await validate(api, key, values.origin);
    if (!verdict.valid) {
      const { message, code, body } = verdict.refusal;
      out.done(`${terminal.style('red', 'refused')}  ${printable(`${message} (${code})`)}`, body);
      return 1;
    }
    const { record } = verdict;
    const left =
      verdict.remaining === null ? '' : `, ${verdict.remaining} requests left in this window`;
    const line = `${cell(record.name)} (${cell(record.id)}, ${cell(record.env)})${left}`;
    return out.done(`${terminal.style('green', 'valid')}  ${line}`, record);
  },
});

type Verdict =
  | { readonly valid: true; readonly record: Row; readonly remaining: string | null }
  | { readonly valid: false; readonly refusal: KeywardError };

/** The key is sent in the body, because paths appear in logs. */
async function validate(api: Api, key: string, origin: string | undefined): Promise<Verdict> {
  const headers: Record<string, string> = origin === undefined ? {} : { 'x-origin-domain': origin };
  try {
    const response = await api.request('validateApiKeys', { body: { key }, headers });
    const remaining = response.headers.get('ratelimit-remaining');
    return { valid: true, record: response.body as unknown as Row, remaining };
  } catch (error) {
    if (error instanceof KeywardError && VERDICTS.test(error.code))
      return { valid: false, refusal: error };
    throw error;
  }
}
