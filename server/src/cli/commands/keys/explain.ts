import { resourceCommand } from '../../resource-command.ts';
import { printable } from '../../terminal/cell.ts';
import { given } from '../../values.ts';
import { CONDITION_OPTIONS, missingText } from './conditions.ts';
import { KEY_ARGUMENT, keyPath } from './key-fields.ts';

interface Explanation {
  readonly valid: boolean;
  readonly code: string;
  readonly missing: readonly string[];
  readonly checks: readonly {
    readonly check: string;
    readonly code: string;
    readonly passed: boolean | null;
  }[];
}

export const explainKey = resourceCommand({
  words: 'keys explain',
  summary: 'Show, check by check, whether an API key would be valid',
  details:
    'Exit code 0: valid, 1: rejected. Unlike keys validate, this is not a use of the key. Its rate limit is not checked.',
  args: [KEY_ARGUMENT],
  options: CONDITION_OPTIONS,
  examples: [
    'npx keyward keys explain key_…',
    'npx keyward keys explain key_… --permission documents.read --ip 203.0.113.7',
    'npx keyward keys explain - --origin app.example.com < key.txt',
  ],
  async run({ api, out, values, args, terminal }) {
    const { permission: permissions, ip: clientIP, origin: originDomain } = values;
    const explanation = await api.call<Explanation>('explainApiKey', {
      path: await keyPath(terminal, args[0]!),
      body: given({ permissions, clientIP, originDomain }),
    });
    const { valid, code, missing, checks } = explanation;
    const results = checks.map(({ check, code, passed }) => {
      if (passed === null) return `${terminal.style('dim', 'skipped')}  ${printable(check)}`;
      if (passed) return `${terminal.style('green', 'passed')}   ${printable(check)}`;
      const reasons = [code, ...(code === 'permission_denied' ? missingText(missing) : [])];
      const text = printable(`${check} (${reasons.join(', ')})`);
      return `${terminal.style('red', 'failed')}   ${text}`;
    });
    const verdict = valid
      ? terminal.style('green', 'valid')
      : `${terminal.style('red', 'rejected')}  ${printable(code)}`;
    out.done([...results, '', verdict].join('\n'), explanation);
    return valid ? 0 : 1;
  },
});
