import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Keys one a line, as the load generators read them. */
export function writeKeys(folder: string, name: string, keys: readonly string[]): string {
  const file = join(folder, `${name}.txt`);
  writeFileSync(file, `${keys.join('\n')}\n`);
  return file;
}
