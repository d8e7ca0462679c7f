import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Machine } from '../machine.ts';
import type { Row } from '../rows.ts';

export const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));

export type Kind = 'full' | 'quick' | 'curves' | 'soak';

/** What one scenario told, and how long it took. */
export interface Section {
  readonly scenario: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
}

export interface Report {
  readonly kind: Kind;
  readonly takenAt: string;
  readonly commit: string;
  readonly seconds: number;
  readonly machine: Machine;
  readonly sections: readonly Section[];
}

export const rowsOf = ({ sections }: Report): Row[] => sections.flatMap(({ rows }) => rows);

/** The last run of each kind, and the last of all. */
export function writeResults(report: Report): void {
  mkdirSync(RESULTS, { recursive: true });
  const text = `${JSON.stringify(report, null, 2)}\n`;
  for (const name of ['latest', report.kind]) writeFileSync(join(RESULTS, `${name}.json`), text);
}
