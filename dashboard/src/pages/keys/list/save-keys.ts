import { csvLine } from '@keyward/rules/csv.ts';
import type { ApiKey } from 'keyward';
import { saveFile } from '../../../app/browser/save-file.ts';
import { fileName } from '../../../text/file-names.ts';

const COLUMNS = [
  'id',
  'name',
  'key',
  'customAccountId',
  'customUserId',
  'isActive',
  'createdAt',
  'expiresAt',
  'lastUsedAt',
] as const satisfies readonly (keyof ApiKey)[];

/** Downloads keys as CSV, with masked values. */
export function saveKeys(keys: readonly ApiKey[], projectName: string): void {
  const lines = keys.map((key) => csvLine(COLUMNS.map((column) => key[column])));
  const today = new Date().toISOString().slice(0, 10);
  saveFile(
    fileName([projectName, 'keys', today], 'csv'),
    'text/csv',
    [csvLine(COLUMNS), ...lines].map((line) => `${line}\r\n`),
  );
}
