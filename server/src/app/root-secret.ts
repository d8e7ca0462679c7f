import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomToken } from '../kernel/secrets/crypto.ts';
import { createPrivateFile, syncDirectory, syncFile } from '../storage/files/durable-files.ts';

const FILE = 'secret';

/** The configured root secret, or the one in the data directory; null if there is neither. */
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
 * Creates the root secret and syncs it to disk before it is used: stored keys cannot be validated
 * without it. The file is renamed into place, so that a start after a power cut finds it complete or
 * not at all.
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
