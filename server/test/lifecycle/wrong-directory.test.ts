import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const BIN = fileURLToPath(new URL('../../bin/keyward.mjs', import.meta.url));

const parent = mkdtempSync(join(tmpdir(), 'keyward-wrong-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const notABackup = join(parent, 'notes.txt');
writeFileSync(notABackup, 'not a database');
const empty = mkdtempSync(join(parent, 'empty-'));

/** Runs a command with only this in its environment. */
function keyward(args: readonly string[], env: Record<string, string> = {}) {
  const { PATH = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    encoding: 'utf8',
    env: { PATH, ...env },
    cwd: parent,
  });
  return { status, stdout, stderr };
}

const COMMANDS: Readonly<Record<string, string[]>> = {
  migrate: ['migrate'],
  backup: ['backup', join(parent, 'copy.db')],
  'restore of a missing backup': ['restore', join(parent, 'missing.db')],
  'restore of another file': ['restore', notABackup],
  move: ['move', '--to', 'postgres://keyward@127.0.0.1:1/keyward'],
  'audit verify': ['audit', 'verify'],
  'a command of the operator': ['accounts', 'list', '--url', 'http://127.0.0.1:1'],
};

describe('a data directory without a database', () => {
  it.each(Object.entries(COMMANDS))('%s: creates nothing there', (_, args) => {
    const missing = join(parent, 'typo', 'data');
    const { status, stdout, stderr } = keyward(args, { KEYWARD_DATA_DIR: missing });
    expect(status, stderr).toBeGreaterThan(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^keyward: .+\n$/);
    expect(existsSync(join(parent, 'typo'))).toBe(false);
    expect(keyward([...args, '--data-dir', empty]).status).toBeGreaterThan(0);
    expect(readdirSync(empty)).toEqual([]);
  });

  it('is named in the error of migrate and move', () => {
    const message = `keyward: There is no database at ${empty}/keyward.db. Set the data directory with --data-dir or KEYWARD_DATA_DIR.\n`;
    for (const args of [COMMANDS.migrate!, COMMANDS.move!])
      expect(keyward([...args, '--data-dir', empty]).stderr).toBe(message);
  });
});
