import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomToken } from '../kernel/crypto.ts';
import { createPrivateFile, syncDirectory, syncFile } from '../storage/files/durable-files.ts';

const FILE = 'secret';

/** The root secret that is there; null when there is none. */
export function readRootSecret(dataDir: string, given: string | null): string | null {
  if (given !== null) return given;
  try {
    return readFileSync(join(dataDir, FILE), 'utf8').trim() || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * On disk for good before anything is made from it: without it no stored key could be found again.
 * Whole or not at all under its name, so that a start which a power cut ended can be repeated.
 */
export function createRootSecret(dataDir: string): string {
  const unfinished = join(dataDir, `${FILE}.unfinished`);
  const secret = randomToken();
  rmSync(unfinished, { force: true });
  createPrivateFile(unfinished);
  writeFileSync(unfinished, `${secret}\n`);
  syncFile(unfinished);
  renameSync(unfinished, join(dataDir, FILE));
  syncDirectory(dataDir);
  return secret;
}
