import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { settingsHelp } from '../../src/app/config.ts';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { BOOTSTRAP_KEY, startServer } from '../harness/child-server.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const KEYWARD = join(ROOT, 'server/bin/keyward.mjs');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const section = (title: string): string => readme.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!;

const directory = mkdtempSync(join(tmpdir(), 'keyward-readme-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the commands of the README', () => {
  const block = /```sh[^\n]*\n(.*?)```/s.exec(section('The command line'))![1]!;

  it('work in order on a fresh server, pasted as a whole', async () => {
    const bin = join(directory, 'bin');
    mkdirSync(bin);
    // Runs the command line like npx in the repository, without npm.
    const shim = `#!/bin/sh\nshift\nexec "${process.execPath}" "${KEYWARD}" "$@"\n`;
    writeFileSync(join(bin, 'npx'), shim);
    chmodSync(join(bin, 'npx'), 0o755);
    const server = await startServer({ dataDir: join(directory, 'data') });
    // Standard input, like pasted text: a command that reads it would consume the commands that follow.
    const { status, stdout, stderr } = spawnSync('bash', ['-e'], {
      input: `${block}echo 'reached the end'\n`,
      encoding: 'utf8',
      cwd: directory,
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        KEYWARD_URL: server.url,
        KEYWARD_ACCESS_KEY: BOOTSTRAP_KEY,
      },
    });
    await server.end('SIGTERM');
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) });
    expect(stderr).not.toContain('keyward:');
    expect(stdout).toContain('valid  Grace');
    expect(stdout).toContain('1 created, 0 unchanged (already there), 0 refused.');
    expect(stdout).toMatch(/reached the end\n$/);
  });
});

it('docs/reference/configuration.md lists the settings of the service', () => {
  const rows = readFileSync(join(ROOT, 'docs/reference/configuration.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const listed = rows.flatMap((row) => row.split('|')[1]!.match(/[A-Z][A-Z_]+/g)!);
  const known = settingsHelp().map(({ env }) => env);
  expect(listed.toSorted()).toEqual(known.toSorted());
});

it('docs/guides/edge.md lists the variables of an edge', () => {
  const guide = readFileSync(join(ROOT, 'docs/guides/edge.md'), 'utf8');
  const listed = guide.match(/(?<=^\|.*`)KEYWARD_[A-Z_]+(?=`.*\|$)/gm)!;
  const settings = readFileSync(join(ROOT, 'server/src/edge/settings.ts'), 'utf8');
  const read = new Set(settings.match(/(?<=\benv\.)KEYWARD_[A-Z_]+/g));
  expect([...read].filter((name) => !listed.includes(name))).toEqual([]);
  expect(read.size).toBeGreaterThan(5);
});

it('commands are always written with npx', () => {
  const paths = ['*.md', 'server/src', 'dashboard/src'];
  const files = execFileSync('git', ['ls-files', ...paths], { cwd: ROOT, encoding: 'utf8' });
  const commands = new Set(COMMANDS.map(({ words }) => words.split(' ')[0]));
  const bare = new RegExp(
    `(?<!npx\\s|from |exec keyward )(?<![\\w/.@-])keyward\\s+(?:${[...commands].join('|')})(?![\\w-])`,
    'g',
  );
  // A value such as the name of a webhook, and no command to type.
  const quoted = /(['"])keyward [a-z ]+\1/g;
  const found = files
    .trim()
    .split('\n')
    .filter((file) => /\.(md|tsx?)$/.test(file) && !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(quoted, '');
      return (text.match(bare) ?? []).map((command) => `${file}: ${command}`);
    });
  expect(found).toEqual([]);
});

it('every path that CONTRIBUTING.md names exists', () => {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const named = text.match(/(?<=[`(])(?:server|sdk|dashboard|docs|scripts)\/[\w./-]+(?=[`)])/g)!;
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
