// 6 s of CPU: every scan is a process, one of them of 2 GB.
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateValue, maskValue } from '../../src/kernel/secrets/key-values.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const KEYWARD = new URL('../../bin/keyward.mjs', import.meta.url).pathname;
const run = promisify(execFile);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keyward-scan-'));
});
afterAll(() => rm(directory, { recursive: true }));

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `keyward scan` in its own process. */
async function scan(
  args: string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Result> {
  const child = spawn(process.execPath, [KEYWARD, 'scan', ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, ...env },
  });
  const collected = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    collected.out += text;
  });
  child.stderr.on('data', (text) => {
    collected.err += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number>((resolve) => child.on('close', resolve));
  return { code, ...collected };
}

describe('keyward scan', () => {
  const value = generateValue('live_');
  const access = generateValue('account_access_');

  it('finds values wherever the pieces meet in which a large file is read', async () => {
    const piece = 256 * 1024;
    const length = value.length;
    const offsets = [1, 2, 3].map((n, index) => n * piece - [1, length / 2, length - 1][index]!);
    const text = Buffer.alloc(4 * piece, '.');
    for (const offset of offsets) text.write(value, offset);
    await writeFile(join(directory, 'large.txt'), text);
    const { code, out } = await scan(['large.txt', '--json']);
    expect(code).toBe(1);
    const columns = JSON.parse(out).map(({ column }: { column: number }) => column - 1);
    expect(columns).toEqual(offsets);
  });

  it('finds values in files and directories, and shows masks only', async () => {
    await mkdir(join(directory, 'tree/deep'), { recursive: true });
    await mkdir(join(directory, 'tree/.git'), { recursive: true });
    await writeFile(join(directory, 'tree/deep/a.env'), `A=1\nKEY=${value}\n`);
    await writeFile(join(directory, 'tree/b.txt'), `  ${access}`);
    await writeFile(join(directory, 'tree/c.bin'), `\0${value}`);
    await writeFile(join(directory, 'tree/.git/config'), value);
    await symlink('.', join(directory, 'tree/loop'));
    const { code, out, err } = await scan(['tree']);
    expect([code, err]).toEqual([1, '']);
    expect(out).toBe(
      `tree/b.txt:1:3: access key ${maskValue(access)}\ntree/deep/a.env:2:5: API key ${maskValue(value)}\n`,
    );
  });

  it('ends with 0 if nothing is found, and with 2 if something cannot be read', async () => {
    await writeFile(join(directory, 'clean.txt'), 'nothing here\n');
    expect(await scan(['clean.txt'])).toEqual({ code: 0, out: '', err: '' });
    const missing = await scan(['clean.txt', 'no-such-file']);
    expect(missing.code).toBe(2);
    expect(missing.err).toContain('no-such-file cannot be read: ENOENT');
    expect((await scan(['--git', '.'])).code).toBe(2);
    expect((await scan([])).code).toBe(2);
    expect((await scan(['--json', '--sarif', '.'])).code).toBe(2);
  });

  it('reads standard input, as in a pre-commit hook', async () => {
    const { code, out } = await scan(['-'], { input: `+ one\n+ ${value}\n` });
    expect([code, out]).toEqual([1, `standard input:2:3: API key ${maskValue(value)}\n`]);
    expect((await scan(['-'], { input: '' })).code).toBe(0);
  });

  it('prints JSON and SARIF', async () => {
    await writeFile(join(directory, 'one.txt'), value);
    const leak = { path: 'one.txt', line: 1, column: 1, kind: 'api-key', key: maskValue(value) };
    const json = await scan(['--json', 'one.txt']);
    expect(JSON.parse(json.out)).toEqual([leak]);
    const report = await scan(['--sarif', 'one.txt']);
    expect(report.out).not.toContain(value);
    const { version, runs } = JSON.parse(report.out);
    expect(version).toBe('2.1.0');
    expect(runs[0].results).toMatchObject([
      {
        ruleId: 'keyward-api-key',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'one.txt' },
              region: { startLine: 1, startColumn: 1 },
            },
          },
        ],
      },
    ]);
    expect(runs[0].tool.driver.rules.map(({ id }: { id: string }) => id)).toContain(
      'keyward-api-key',
    );
    const clean = await scan(['--json', 'clean.txt']);
    expect([clean.code, clean.out]).toEqual([0, '[]\n']);
  });

  it('finds values in the history of a repository, and the commit that added them', async () => {
    const repository = join(directory, 'repository');
    await mkdir(repository);
    const git = async (...args: string[]) =>
      (await run('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]))
        .stdout;
    await git('init', '-q', '-b', 'main');
    const commit = async (message: string, files: Record<string, string>) => {
      for (const [name, text] of Object.entries(files))
        await writeFile(join(repository, name), text);
      await git('add', '-A');
      await git('commit', '-qm', message);
      return (await git('rev-parse', 'HEAD')).trim();
    };
    await commit('start', { 'a file.txt': 'nothing' });
    const added = await commit('add', {
      'a file.txt': `x\n${value}\n`,
      'big.txt': 'y'.repeat(2e6),
    });
    await commit('remove', { 'a file.txt': 'nothing again' });
    const mentioned = await commit(`mention ${access}`, { 'b.txt': 'b' });
    expect((await scan(['repository'])).code).toBe(0);
    const { code, out } = await scan(['--git', '--json', 'repository']);
    expect(code).toBe(1);
    expect(out).not.toContain(value);
    const leaks: { path: string; commit: string }[] = JSON.parse(out);
    expect(leaks).toHaveLength(2);
    expect(leaks).toContainEqual(
      expect.objectContaining({ path: 'a file.txt', line: 2, column: 1, commit: added }),
    );
    expect(leaks).toContainEqual(
      expect.objectContaining({ path: `commit ${mentioned}`, commit: mentioned }),
    );
  });

  it('scans a file of 2 GB with little memory', async () => {
    const path = join(directory, 'large.txt');
    const file = await open(path, 'w');
    // The rest is a hole, which takes no space on the disk.
    await file.write('ordinary words of a log line\n'.repeat(400));
    await file.write(`\n${value}\n`, 2_147_483_648);
    await file.close();
    const script = `
      const { readFileSync } = await import('node:fs');
      const { scanPath } = await import(${JSON.stringify(new URL('../../src/cli/commands/scan/files.ts', import.meta.url).href)});
      const found = [];
      scanPath(${JSON.stringify(path)}, { onLeak: (leak) => found.push(leak), onError: (_, error) => { throw error; }, onBytes() {} });
      // Unlike maxRSS, it does not begin with the memory of the parent process.
      const peak = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
      console.log(JSON.stringify({ lines: found.map(({ line }) => line), rss: peak }));
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
    await rm(path);
    const { lines, rss } = JSON.parse(stdout);
    expect(lines).toEqual([402]);
    expect(rss / 1024).toBeLessThan(150);
  });
});

describe('keyward scan --report', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('reports to the server, which revokes the key', async () => {
    const { body: key } = await test.client.post('/api-keys', {
      name: 'Leaky',
      projectId: test.projectId,
    });
    const unknown = generateValue('live_');
    const env = { KEYWARD_URL: test.url, KEYWARD_ACCESS_KEY: test.accessKey };
    const update = ['projects', 'update', test.projectId, '--on-leak', 'revoke'];
    await run(process.execPath, [KEYWARD, ...update], { env: { ...process.env, ...env } });
    const args = ['--report', '--json', '--source', 'nightly', '-'];
    const { code, out } = await scan(args, { input: `${key.key}\n${unknown}\n${key.key}\n`, env });
    expect(code).toBe(1);
    const leaked = { keyId: key.id, action: 'revoked' };
    expect(JSON.parse(out)).toMatchObject([leaked, { keyId: null, action: 'unknown' }, leaked]);
    expect((await test.client.get(`/api-keys/${key.id}`)).body.isActive).toBe(false);
    expect((await test.client.get('/leaks')).body).toMatchObject([
      { keyId: key.id, source: 'nightly', reports: 1 },
    ]);
  });

  it('names tokens of portal sessions, and does not report them', async () => {
    const token = generateValue('portal_');
    const env = { KEYWARD_URL: test.url, KEYWARD_ACCESS_KEY: test.accessKey };
    const input = `https://keyward.example/portal/prj_1/#${token}`;
    const { code, out } = await scan(['--report', '--json', '-'], { env, input });
    const place = { path: 'standard input', line: 1, column: input.indexOf(token) + 1 };
    const leak = { ...place, kind: 'portal-token', key: maskValue(token) };
    expect([code, JSON.parse(out)]).toEqual([1, [leak]]);
    const { results, tool } = JSON.parse((await scan(['--sarif', '-'], { input })).out).runs[0];
    expect(results).toMatchObject([{ ruleId: 'keyward-portal-token' }]);
    expect(tool.driver.rules).toContainEqual(
      expect.objectContaining({ id: 'keyward-portal-token' }),
    );
  });

  it('fails before the scan without an access key; if the server is unreachable, prints what it found and exits with 2', async () => {
    const without = await scan(['--report', '.'], { env: { KEYWARD_URL: test.url } });
    expect([without.code, without.out]).toEqual([2, '']);
    expect(without.err).toContain('KEYWARD_ACCESS_KEY');
    const env = { KEYWARD_URL: 'http://127.0.0.1:9', KEYWARD_ACCESS_KEY: test.accessKey };
    const value = generateValue('live_');
    const away = await scan(['--report', '-'], { env, input: value });
    expect([away.code, away.out]).toEqual([2, `standard input:1:1: API key ${maskValue(value)}\n`]);
    expect(away.err).toContain('127.0.0.1:9');
    const json = await scan(['--report', '--json', '-'], { env, input: value });
    expect([json.code, JSON.parse(json.out)]).toMatchObject([2, [{ key: maskValue(value) }]]);
  });
});
