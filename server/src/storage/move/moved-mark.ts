import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectory } from '../files/durable-files.ts';

const FILE = 'moved';

/** Says in the data directory that it was moved, so that nobody serves what is out of date. */
export function markMoved(directory: string, to: string, now: number): string {
  const path = join(directory, FILE);
  const descriptor = openSync(path, 'w', 0o600);
  try {
    writeSync(descriptor, `${to} on ${new Date(now).toISOString()}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  syncDirectory(directory);
  return path;
}

/** Throws when the directory was moved, and says how to go on and how to go back. */
export function refuseMoved(directory: string): void {
  const path = join(directory, FILE);
  if (!existsSync(path)) return;
  const where = readFileSync(path, 'utf8').trim();
  throw new Error(
    `This installation was moved to PostgreSQL at ${where}. Start it there, with KEYWARD_DATABASE_URL and KEYWARD_SECRET. To go back to what it was before the move, without anything that changed since, remove the file ${path}.`,
  );
}
