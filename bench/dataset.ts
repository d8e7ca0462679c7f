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

interface Template {
  readonly folder: string;
  readonly keys: readonly string[];
}

const templates = new Map<string, Template>();

/**
 * Made once for each size; every scenario gets a copy, so that none sees what another left. With
 * `used`, only so many have values: very many are written faster so.
 */
export async function freshDataset(count: number, used = count): Promise<Dataset> {
  const name = `${count}/${used}`;
  const template = templates.get(name) ?? (await makeTemplate(count, used));
  templates.set(name, template);
  const folder = temporaryFolder();
  cpSync(template.folder, folder, { recursive: true });
  return { folder, keys: template.keys, remove: () => removeFolder(folder) };
}

async function makeTemplate(count: number, used: number): Promise<Template> {
  const folder = await bootedFolder();
  const keys = used < count ? seedStored(folder, count, used) : seedKeys(folder, count);
  return { folder, keys };
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
