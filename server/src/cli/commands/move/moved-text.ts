import { chainReportText } from '../audit/chain-report.ts';
import type { Compared, Moved } from './move-installation.ts';

const count = (n: number): string => n.toLocaleString('en-GB');

/** Describes the result and the next steps. Contains the location of the root secret, never the secret. */
export function movedText(moved: Moved, shown: string, secretFile: string | null): string {
  const secretValue =
    secretFile === null ? 'the one that this command used' : `the content of ${secretFile}`;
  return `${[
    moved.compared === null
      ? `The installation was already moved to PostgreSQL at ${shown} by an earlier run; nothing was compared again.`
      : `The installation is in PostgreSQL at ${shown}: ${comparedText(moved.compared)}.`,
    `Audit log: ${chainReportText(moved.chainReport)}`,
    ...(moved.chainReport.broken === null || moved.compared === null
      ? []
      : ['The log was broken before the move: the rows are the same on both sides.']),
    '',
    'To start it, on every node:',
    '  KEYWARD_DATABASE_URL   the URL that this command used',
    `  KEYWARD_SECRET         ${secretValue}`,
    '  KEYWARD_REDIS_URL      for more than one node; see docs/guides/from-one-machine-to-many.md',
    '  npx keyward serve',
    '',
    `The data directory is unchanged. ${moved.mark} marks it as moved, so that it is not served by mistake.`,
    'To go back, remove that file and start the server here. Changes made in PostgreSQL are then lost: keys revoked there are valid again.',
  ].join('\n')}\n`;
}

function comparedText({ rows, tables, copiedBefore }: Compared): string {
  const resumed = copiedBefore === 0 ? '' : ` (${count(copiedBefore)} of them from an earlier run)`;
  return `${count(rows)} rows of ${tables} tables, the same on both sides${resumed}`;
}
