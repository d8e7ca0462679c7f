import { verdictText } from '../audit/verdict.ts';
import type { Moved } from './move-installation.ts';

const count = (n: number): string => n.toLocaleString('en-GB');

/** What was done, and what is left to do. Says where the root secret is, never the secret itself. */
export function movedText(moved: Moved, shown: string, secretFile: string | null): string {
  const secretValue =
    secretFile === null ? 'the one this command was given' : `the content of ${secretFile}`;
  return `${[
    `The installation is in PostgreSQL at ${shown}: ${count(moved.rows)} rows of ${moved.tables} tables, the same on both sides${resumed(moved)}.`,
    `Audit log: ${verdictText(moved.verdict)}`,
    ...(moved.verdict.broken === null
      ? []
      : ['It was like this before the move: the rows are the same on both sides.']),
    '',
    'To start it, on every node:',
    '  KEYWARD_DATABASE_URL   the URL that you gave here',
    `  KEYWARD_SECRET         ${secretValue}`,
    '  KEYWARD_REDIS_URL      for more than one node; see docs/guides/from-one-machine-to-many.md',
    '  npx keyward serve',
    '',
    `The data directory is as it was. ${moved.mark} marks it as moved, so that nobody serves it by mistake.`,
    'To go back to it, without anything that changed since, remove that file.',
  ].join('\n')}\n`;
}

const resumed = ({ alreadyThere }: Moved): string =>
  alreadyThere === 0 ? '' : ` (${count(alreadyThere)} of them from an earlier run)`;
