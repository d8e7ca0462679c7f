import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes what was written to a file survive a power cut. */
export function syncFile(path: string): void {
  withFile(path, 'r+', fsyncSync);
}

/** Makes names survive: a file made, renamed or removed in this directory. */
export function syncDirectory(path: string): void {
  withFile(path, 'r', fsyncSync);
}

/** An empty file that only its owner may read, with its name already durable. Throws if it is there. */
export function createPrivateFile(path: string): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  syncDirectory(dirname(path));
}

function withFile(path: string, flags: string, use: (descriptor: number) => void): void {
  const descriptor = openSync(path, flags);
  try {
    use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
