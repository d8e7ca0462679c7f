import { cpSync } from 'node:fs';
import { removeFolder, temporaryFolder } from './children.ts';
import { startServer } from './keyward-server.ts';
import { seedKeys } from './seed.ts';
import { seedStored } from './seed-stored.ts';

/** A data directory with so many keys, for one scenario alone. */
export interface Dataset {
  readonly folder: string;
  readonly keys: readonly string[];
  remove(): void;
}

const templates = new Map<number, { folder: string; keys: readonly string[] }>();

/** Made once for each size; every scenario gets a copy, so that none sees what another left. */
export async function freshDataset(count: number): Promise<Dataset> {
  const template = templates.get(count) ?? (await makeTemplate(count));
  templates.set(count, template);
  const folder = temporaryFolder();
  cpSync(template.folder, folder, { recursive: true });
  return { folder, keys: template.keys, remove: () => removeFolder(folder) };
}

async function makeTemplate(count: number): Promise<{ folder: string; keys: readonly string[] }> {
  const folder = await bootedFolder();
  return { folder, keys: seedKeys(folder, count) };
}

let booted: Promise<string> | null = null;

/**
 * The server itself makes the schema, the account, the project and the access key; once for all,
 * since a start takes longer than a copy.
 */
async function bootedFolder(): Promise<string> {
  booted ??= boot();
  const folder = temporaryFolder();
  cpSync(await booted, folder, { recursive: true });
  return folder;
}

async function boot(): Promise<string> {
  const folder = temporaryFolder();
  await (await startServer(folder)).stop();
  return folder;
}

/** So many stored that no copy is kept, of which some are used. */
export async function storedDataset(count: number, used: number): Promise<Dataset> {
  const folder = await bootedFolder();
  return { folder, keys: seedStored(folder, count, used), remove: () => removeFolder(folder) };
}
