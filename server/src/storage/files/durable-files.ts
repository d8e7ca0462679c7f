import { closeSync, fsyncSync, lchownSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes the content of a file survive a power cut. */
export function syncFile(path: string): void {
  withFile(path, 'r+', fsyncSync);
}

/** Makes creations, renames and deletions in a directory survive a power cut. */
export function syncDirectory(path: string): void {
  withFile(path, 'r', fsyncSync);
}

/** Creates an empty file that only its owner can read, with a durable name. Throws if it exists. */
export function createPrivateFile(path: string): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  syncDirectory(dirname(path));
}

/**
 * As root, gives a file to the owner of its directory. The systemd unit runs the server as a user of its own,
 * so `npx keyward restore` and `npx keyward move` must run as root; systemd corrects the owner of the directory, but
 * not of files in it. Where root may not do this, as in some containers and on NFS, root stays the owner of the
 * file.
 */
export function giveToOwnerOfDirectory(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  try {
    // Follows no links: the owner of the directory may have put a link to one of root's files here.
    lchownSync(path, uid, gid);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EINVAL: the owner is unknown in this user namespace.
    if (code !== 'EPERM' && code !== 'EINVAL') throw error;
  }
}

function withFile(path: string, flags: string, use: (descriptor: number) => void): void {
  const descriptor = openSync(path, flags);
  try {
    use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
