import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './run-tool.ts';

const SECONDS = 5;
const REASON = /^\/\/ .*\bs of CPU\b/;

/**
 * The test files that took more than 5 s of CPU and do not say why in their first line: `// 12 s of CPU: …`.
 * `measured` has a line for each file, which cpu-time.ts wrote.
 */
export async function slowWithoutReason(measured: string): Promise<readonly string[]> {
  const slow: string[] = [];
  for (const line of measured.split('\n').filter(Boolean)) {
    const [seconds = '', path = ''] = line.split(' ');
    if (Number(seconds) <= SECONDS) continue;
    if (REASON.test(await readFile(join(ROOT, path), 'utf8'))) continue;
    slow.push(`${path} took ${seconds} s of CPU; its first line must say why`);
  }
  return slow;
}
