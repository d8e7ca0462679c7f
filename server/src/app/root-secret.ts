import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomToken } from '../kernel/crypto.ts';
import { createPrivateFile, syncFile } from '../storage/durable-files.ts';

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

/** On disk for good before anything is made from it: without it no stored key could be found again. */
export function createRootSecret(dataDir: string): string {
  const path = join(dataDir, FILE);
  const secret = randomToken();
  createPrivateFile(path);
  writeFileSync(path, `${secret}\n`);
  syncFile(path);
  return secret;
}
