import { openDataDirectory } from '../../src/storage/files/data-directory.ts';

/** Locks the directory in its argument, prints the result, and keeps the lock until it is killed. */
const [path = ''] = process.argv.slice(2);
try {
  openDataDirectory(path);
  console.log('held');
  setInterval(() => {}, 60_000);
} catch (error) {
  console.log((error as Error).message);
}
