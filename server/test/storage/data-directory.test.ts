import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDataDirectory } from '../../src/storage/files/data-directory.ts';
import { markMoved } from '../../src/storage/move/moved-mark.ts';

const HOLDER = fileURLToPath(new URL('./hold-directory.child.ts', import.meta.url));

let parent: string;
let path: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'keyward-directory-'));
  path = join(parent, 'deep', 'data');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(parent, { recursive: true, force: true });
});

async function openInChild(): Promise<{ child: ChildProcess; output: string }> {
  const child = spawn(process.execPath, [HOLDER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = await once(child.stdout!, 'data');
  return { child, output: String(line).trim() };
}

const refusal = (pid: number | undefined) =>
  `Another Keyward (pid ${pid}) is using the data directory ${path}. Stop it first, or choose another with KEYWARD_DATA_DIR.`;

it('a data directory is readable by its owner only, and names the database file', () => {
  const directory = openDataDirectory(path);
  expect(directory).toMatchObject({ path, file: join(path, 'keyward.db') });
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(existsSync(directory.file)).toBe(false);
  directory.release();
  directory.release();
});

const isRoot = process.geteuid?.() === 0;
it(`${isRoot ? 'as root' : 'by another user than root'}, leaves all files to the owner of the directory`, () => {
  mkdirSync(path, { recursive: true });
  const owner = isRoot ? 65_534 : process.getuid!();
  if (isRoot) chownSync(path, owner, owner);
  const directory = openDataDirectory(path);
  markMoved(path, 'db.example/keyward', 0);
  expect(readdirSync(path).map((name) => [name, statSync(join(path, name)).uid])).toEqual([
    ['keyward.lock', owner],
    ['keyward.pid', owner],
    ['moved', owner],
  ]);
  directory.release();
});

it('a link in the directory does not change the owner of the file that it points to', () => {
  mkdirSync(path, { recursive: true });
  if (isRoot) chownSync(path, 65_534, 65_534);
  const outside = join(parent, 'of-root');
  writeFileSync(outside, '');
  symlinkSync(outside, join(path, 'keyward.lock'));
  openDataDirectory(path).release();
  expect(statSync(outside).uid).toBe(process.geteuid!());
});

it('a data directory is refused to a second process until it is released', async () => {
  const directory = openDataDirectory(path);
  expect((await openInChild()).output).toBe(refusal(process.pid));
  directory.release();
  expect((await openInChild()).output).toBe('held');
});

it('a data directory is free again after kill -9', async () => {
  const { child, output } = await openInChild();
  expect(output).toBe('held');
  expect(() => openDataDirectory(path)).toThrow(refusal(child.pid));
  child.kill('SIGKILL');
  await once(child, 'exit');
  openDataDirectory(path).release();
});

it('a data directory is refused a second time within one process, and the first lock stays', async () => {
  const directory = openDataDirectory(path);
  expect(() => openDataDirectory(path)).toThrow(refusal(process.pid));
  expect((await openInChild()).output).toBe(refusal(process.pid));
  directory.release();
});
