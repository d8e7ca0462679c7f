import { csvLine } from '@keyward/rules/csv.ts';
import { USAGE_FIELDS } from '@keyward/rules/outcomes.ts';
import type { QueryOf, UsageRow } from 'keyward';
import { usagePages } from '../../api/usage.ts';
import { saveFile } from '../../app/browser/save-file.ts';

const COLUMNS: readonly (keyof UsageRow)[] = [
  'group',
  'name',
  'date',
  'total',
  ...Object.values(USAGE_FIELDS),
  'cost',
];

/** Downloads all rows of the query as CSV, including those that the page does not show. */
export async function saveUsage(
  query: QueryOf<'getUsage'>,
  name: string,
  isIncluded: (row: UsageRow) => boolean,
): Promise<void> {
  const parts = [`${csvLine(COLUMNS)}\r\n`];
  for await (const { items } of usagePages(query))
    parts.push(
      items
        .filter(isIncluded)
        .map((row) => `${csvLine(COLUMNS.map((column) => row[column]))}\r\n`)
        .join(''),
    );
  saveFile(name, 'text/csv', parts);
}
