import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is measured as built: the client as the package leads to it, and the pages. */
const WORKSPACES = [
  {
    name: 'sdk',
    folder: join(dirname(fileURLToPath(import.meta.resolve('keyward'))), '..'),
    neededBy: ['local', 'local-revocation', 'middleware'],
  },
  {
    name: 'dashboard',
    folder: fileURLToPath(new URL('../dashboard', import.meta.url)),
    neededBy: ['dashboard-keys'],
  },
];

/** Of what these scenarios need, that which is older than its sources: figures would be of yesterday's. */
export const staleFor = (scenarios: readonly string[]): string[] =>
  WORKSPACES.filter(({ neededBy }) => neededBy.some((name) => scenarios.includes(name)))
    .filter(({ folder }) => isStale(folder))
    .map(({ name }) => name);

/** Whether a source was written after everything that was built, or nothing was. */
export const isStale = (folder: string): boolean =>
  newest(join(folder, 'src')) > newest(join(folder, 'dist'));

function newest(folder: string): number {
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  return Math.max(
    0,
    ...files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs),
  );
}
