import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * The folder for test databases. It is in memory if there is room: creating a database there takes a third
 * of the CPU time. No program is started from it, because /dev/shm may be mounted `noexec`.
 */
export const SCRATCH = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= NEEDED_BYTES;
}
