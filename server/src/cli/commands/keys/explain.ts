import type { Explanation } from 'keyward';
import { resourceCommand } from '../../resource-command.ts';
import { printable, windowText } from '../../terminal/cell.ts';
import { withoutUndefined } from '../../values.ts';
import { CONDITION_OPTIONS, conditionFields, missingText } from './conditions.ts';
import { KEY_ARGUMENT, keyPath } from './key-fields.ts';

export const explainKey = resourceCommand({
  words: 'keys explain',
  summary: 'Show, check by check, whether an API key would be valid',
  details:
    'Exit code 0: valid, 1: refused. Unlike keys validate, this is not a use of the key: nothing is taken from its limits and credits.',
  args: [KEY_ARGUMENT],
  options: CONDITION_OPTIONS,
  examples: [
    'npx keyward keys explain key_…',
    'npx keyward keys explain key_… --permission documents.read --ip 203.0.113.7',
    'npx keyward keys explain key_… --cost 100',
    'npx keyward keys explain key_… --cost tokens:1200 --resource POST:/v1/chat',
    'npx keyward keys explain - --origin app.example.com < key.txt',
  ],
  async run({ api, out, values, args, terminal }) {
    const explanation = await api.call<Explanation>('explainApiKey', {
      path: await keyPath(terminal, args[0]!),
      body: { ...conditionFields(values), ...withoutUndefined({ originDomain: values.origin }) },
    });
    // An older server returns no limits and credits.
    const { valid, code, missing, checks, limits = [], credits = null } = explanation;
    const results = checks.map(({ check, code, passed }) => {
      if (passed === null) return `${terminal.style('dim', 'skipped')}  ${printable(check)}`;
      if (passed) return `${terminal.style('green', 'passed')}   ${printable(check)}`;
      const reasons = [code, ...(code === 'permission_denied' ? missingText(missing) : [])];
      const text = printable(`${check} (${reasons.join(', ')})`);
      return `${terminal.style('red', 'failed')}   ${text}`;
    });
    const verdict = valid
      ? terminal.style('green', 'valid')
      : `${terminal.style('red', 'refused')}  ${printable(code)}`;
    const left = [...limits.map(limitText), ...(credits === null ? [] : [creditsText(credits)])];
    const sections = [results, left, [verdict]].filter((lines) => lines.length > 0);
    out.done(sections.map((lines) => lines.join('\n')).join('\n\n'), explanation);
    return valid ? 0 : 1;
  },
});

function limitText(limit: Explanation['limits'][number]): string {
  const { name, level, mode, remaining, rateLimit, unit, resetAt, exceeded } = limit;
  const notes = [
    `of the ${level}`,
    ...(mode === 'shadow' ? ['in shadow mode'] : []),
    ...(exceeded ? ['exceeded'] : []),
    ...(resetAt === null ? [] : [`resets at ${resetAt}`]),
  ];
  return printable(
    `limit ${name}: ${remaining} of ${rateLimit}${unit === undefined ? '' : ` ${unit}`} left ${windowText(limit)} (${notes.join(', ')})`,
  );
}

function creditsText(credits: NonNullable<Explanation['credits']>): string {
  const { remaining, level, nextRefillAt, exceeded } = credits;
  const notes = [
    `of the ${level}`,
    ...(exceeded ? ['too few'] : []),
    ...(nextRefillAt === null ? [] : [`next refill at ${nextRefillAt}`]),
  ];
  return printable(`credits: ${remaining} left (${notes.join(', ')})`);
}
