import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { giveToOwnerOfDirectory, syncDirectory } from '../files/durable-files.ts';

const FILE = 'moved';

/** Marks the data directory as moved, so that its outdated data is not served. */
export function markMoved(directory: string, to: string, now: number): string {
  const path = join(directory, FILE);
  const descriptor = openSync(path, 'w', 0o600);
  try {
    writeSync(descriptor, `${to} on ${new Date(now).toISOString()}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  giveToOwnerOfDirectory(path);
  syncDirectory(directory);
  return path;
}

/** Throws if the directory was moved; the message explains how to continue and how to go back. */
export function refuseMoved(directory: string): void {
  const path = join(directory, FILE);
  if (!existsSync(path)) return;
  const where = readFileSync(path, 'utf8').trim();
  throw new Error(
    `This installation was moved to PostgreSQL at ${where}. Start it there, with KEYWARD_DATABASE_URL and KEYWARD_SECRET. To go back to the state before the move, remove the file ${path}; changes made in PostgreSQL are then lost.`,
  );
}
