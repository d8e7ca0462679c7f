import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findOnPath } from './test-tools.ts';

it('finds the first executable of several names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyward-tools-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'first-name'), '');
  await writeFile(join(folder, 'second-name'), '');
  await chmod(join(folder, 'second-name'), 0o755);
  const path = ['', '/nowhere', folder].join(delimiter);
  expect(findOnPath(['first-name', 'second-name'], path)).toBe(join(folder, 'second-name'));
  expect(findOnPath(['third-name'], path)).toBeNull();
});
