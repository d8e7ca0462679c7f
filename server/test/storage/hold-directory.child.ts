import { openDataDirectory } from '../../src/storage/files/data-directory.ts';

/** Takes the directory named by its argument, says so, and holds it until it is killed. */
const [path = ''] = process.argv.slice(2);
try {
  openDataDirectory(path);
  console.log('held');
  setInterval(() => {}, 60_000);
} catch (error) {
  console.log((error as Error).message);
}
