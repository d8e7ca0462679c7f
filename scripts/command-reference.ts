import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '#server/cli/commands/index.ts';
import { helpFor } from '#server/cli/help.ts';
import { ROOT } from './run-tool.ts';

/** The reference of the command line: an introduction, and below this line the help of every command. */
export const REFERENCE_FILE = 'docs/reference/command-line.md';
const MARK = '<!-- Written by `npm run openapi` from the help of the commands. -->\n';

const plain = { style: (_style: string, text: string) => text };

export const committedReference = (): string => readFileSync(join(ROOT, REFERENCE_FILE), 'utf8');

export function commandReference(): string {
  const [introduction] = committedReference().split(MARK);
  const sections = COMMANDS.map(
    (command) => `## ${command.words}\n\n\`\`\`text\n${helpFor(command, plain)}\`\`\`\n`,
  );
  return `${introduction}${MARK}\n${sections.join('\n')}`;
}

if (import.meta.main) writeFileSync(join(ROOT, REFERENCE_FILE), commandReference());
