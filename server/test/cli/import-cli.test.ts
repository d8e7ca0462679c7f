// 25 s of CPU: every command is a process, started as users start it; one import is killed in many places.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../harness/child-server.ts';
import { freePort } from '../harness/free-port.ts';
import { createTestClient, type TestClient } from '../harness/test-client.ts';

const KEYWARD = fileURLToPath(new URL('../../bin/keyward.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'keyward-import-'));

let server: ChildServer;
let port: number;
let client: TestClient;

const start = () =>
  startServer({
    dataDir: join(folder, 'data'),
    env: { PORT: String(port), KEYWARD_LOG_LEVEL: 'error', KEYWARD_MANAGEMENT_LIMIT: '1000000' },
  });

beforeAll(async () => {
  port = await freePort();
  server = await start();
  client = createTestClient(server.url, BOOTSTRAP_KEY);
});
afterAll(async () => {
  await server.end('SIGKILL');
  rmSync(folder, { recursive: true });
});

function startCommand(words: readonly string[], argv: readonly string[], input = '') {
  const child = spawn(process.execPath, [KEYWARD, ...words, ...argv], {
    env: { PATH: process.env.PATH, KEYWARD_URL: server.url, KEYWARD_ACCESS_KEY: BOOTSTRAP_KEY },
    cwd: folder,
  });
  child.stdin!.end(input);
  return child;
}

async function ended(child: ChildProcess) {
  const exit = new Promise<number | null>((done) => child.once('exit', done));
  const [out, err, code] = await Promise.all([text(child.stdout!), text(child.stderr!), exit]);
  return { code, out, err };
}

const startImport = (argv: readonly string[], input?: string): ChildProcess =>
  startCommand(['import'], argv, input);
const run = (argv: readonly string[], input?: string) => ended(startImport(argv, input));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const sha256 = (value: string) => createHash('sha256').update(value).digest('hex');
const valid = async (value: string) =>
  (await client.post(`/api-keys/auth/${value}`)).status === 200;
const countNamed = async (name: string) =>
  (await client.get(`/api-keys?name=${encodeURIComponent(name)}`)).body.length;

/** No output of a command may contain a key value. */
const expectNoValue = (output: string) => expect(output).not.toMatch(/secret/);

describe('npx keyward customers import', () => {
  const runImport = (argv: readonly string[]) => ended(startCommand(['customers', 'import'], argv));

  it('imports CSV, reports refused rows by line, and can be repeated', async () => {
    const path = file(
      'customers.csv',
      [
        'id,name,limits,credits,refillAmount,refillInterval,tags',
        'acme,Acme Inc.,"day=50000/1d,customer second=20/1",7,1000,month,eu beta',
        '"two\nlines",,,,,,',
        'acme,Twice,,,,,',
        'bad,Bad,day,,,,',
        ',Without id,,,,,',
        'unpaid,,,,5,year,',
        '',
      ].join('\r\n'),
    );
    const options = ['--map', 'id=customAccountId'];
    const dry = await runImport([path, ...options, '--dry-run', '--json']);
    expect(JSON.parse(dry.out)).toMatchObject({ imported: 2, exists: 0, refused: 4, dryRun: true });
    const { code, out, err } = await runImport([path, ...options]);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toContain('2 created, 0 unchanged (already there), 4 refused.\nRefused rows');
    const report = readFileSync(`${path}.refused.csv`, 'utf8');
    expect(report.split('\r\n').map((line) => line.split(',').slice(0, 2).join(' '))).toEqual([
      'line code',
      '5 customer_exists',
      '6 invalid_body',
      '7 invalid_body',
      '8 invalid_body',
      '',
    ]);
    const { projectId } = (await client.get('/customers?search=acme')).body[0];
    const { body } = await client.get(`/customers/acme?projectId=${projectId}`);
    expect(body).toMatchObject({
      name: 'Acme Inc.',
      limits: [
        { name: 'day', rateLimit: 50_000, rateLimitTtl: 86_400, per: 'customer' },
        { name: 'second', rateLimit: 20, rateLimitTtl: 1 },
      ],
      credits: { remaining: 7, refill: { amount: 1000, interval: 'month' } },
      tags: ['eu', 'beta'],
    });
    const again = await runImport([path, ...options]);
    expect(again.out).toContain('0 created, 2 unchanged (already there), 4 refused.');
    const unknown = await runImport([path]);
    expect(unknown.err).toContain('including customAccountId; use --map');
  });
});

describe('npx keyward import', () => {
  it('imports CSV, and writes refused rows with their line numbers to a file', async () => {
    const path = file(
      'mixed.csv',
      [
        'name,key,keyHash,prefix,customMetaData,rateLimitConfigs,isActive',
        'Ada,secret-of-ada,,,"{""plan"":""pro""}",10/60,true',
        `Bob,,${sha256('secret-of-bob')},sec,,,`,
        '"Two\nlines",secret-of-two,,,,,f',
        'Short,secret,,,,,',
        'Ada again,secret-of-ada,,,,,',
        `Bob again,secret-of-bob,,,,,`,
        'Cells,secret-of-none',
        'Neither,,,,,,',
        '',
      ].join('\r\n'),
    );
    const dry = await run([path, '--dry-run']);
    expect(dry.code).toBe(1);
    expect(dry.out).toContain(
      'Dry run, nothing was written: 3 would be created, 0 unchanged (already there), 5 refused.',
    );
    expect(await valid('secret-of-ada')).toBe(false);

    const { code, out, err } = await run([path]);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(
      /^3 created, 0 unchanged \(already there\), 5 refused\.\nIn the audit log: imp_\w{26}\nRefused rows, with reasons: /,
    );
    const report = readFileSync(`${path}.refused.csv`, 'utf8');
    expect(report.split('\r\n').map((line) => line.split(',').slice(0, 2).join(' '))).toEqual([
      'line code',
      '6 invalid_body',
      '7 key_exists',
      '8 key_exists',
      '9 unreadable',
      '10 invalid_body',
      '',
    ]);
    expect(report).toContain('The same value is in line 2.');
    expectNoValue(out + err + dry.out + dry.err + report);
    expect(statSync(`${path}.refused.csv`).mode & 0o777).toBe(0o600);
    expect(await valid('secret-of-ada')).toBe(true);
    expect(await valid('secret-of-bob')).toBe(true);
    expect((await client.post('/api-keys/auth/secret-of-two')).body.code).toBe('key_revoked');
  });

  it('imports NDJSON from a pipe, with the field names of another system', async () => {
    const lines = [
      { id: 1, label: 'Eve', hash: sha256('secret-of-eve'), enabled: 1, made: 1_600_000_000 },
      { id: 2, hash: sha256('secret-of-mel'), enabled: 0 },
    ];
    const argv =
      '- --map label=name --map hash=keyHash --map enabled=isActive --map made=createdAt';
    const { code, out } = await run(
      [...argv.split(' '), '--ignore', 'id', '--name', 'Unnamed', '--json'],
      lines.map((line) => JSON.stringify(line)).join('\n'),
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ rows: 2, imported: 2, refused: 0, refusedFile: null });
    const eve = (await client.post('/api-keys/auth/secret-of-eve')).body;
    expect(eve).toMatchObject({ name: 'Eve', createdAt: '2020-09-13T12:26:40.000Z' });
    expect(await countNamed('Unnamed')).toBe(1);
  });

  it('imports permissions, addresses, start and tags, from CSV and NDJSON alike', async () => {
    const csv = [
      'name;key;permissions;allowedIPs;startsAt;tags',
      'Pia;secret-of-pia;documents.* reports.read;"10.0.0.0/8;2001:db8::/32";2029-01-01;eu beta',
      'Wil;secret-of-wil;documents.*.read;;;',
    ].join('\n');
    const fields = {
      permissions: ['documents.*', 'reports.read'],
      allowedIPs: ['10.0.0.0/8', '2001:db8::/32'],
      startsAt: '2029-01-01T00:00:00.000Z',
      tags: ['eu', 'beta'],
    };
    const path = file('policies.csv', csv);
    expect((await run([path])).out).toContain('1 created, 0 unchanged (already there), 1 refused.');
    expect(readFileSync(`${path}.refused.csv`, 'utf8')).toContain('is not a permission');
    const line = JSON.stringify({ name: 'Tom', key: 'secret-of-tom', ...fields });
    expect((await run(['-'], line)).code).toBe(0);
    for (const value of ['secret-of-pia', 'secret-of-tom'])
      expect((await client.get(`/api-keys/${value}`)).body).toMatchObject(fields);
  });

  it('changes nothing the second time, and succeeds', async () => {
    const path = file('again.ndjson', '{"name":"Again","key":"secret-again"}\n');
    expect((await run([path])).code).toBe(0);
    const { code, out } = await run([path]);
    expect(code).toBe(0);
    expect(out).toBe('0 created, 1 unchanged (already there), 0 refused.\n');
    expect(await countNamed('Again')).toBe(1);
  });

  it.each([
    [
      'a missing file',
      ['nowhere.csv'],
      '',
      /\/nowhere\.csv cannot be read: there is no such file\. Give the path/,
    ],
    ['an empty file', ['-'], '', /the file is empty/],
    ['a JSON array', ['-'], '[{"key":"secret-1"}]', /one object per line/],
    ['CSV without a header', ['-'], 'secret-of-a-row,Ada\nsecret-of-b-row,Bob\n', /first line/],
    ['an unknown column', ['-'], 'key,plan\nsecret-of-a-row,pro\n', /"plan".*--ignore/],
    ['an unknown project', ['-', '--project', 'prj_x'], '{}', /no such project/],
    ['an invalid --map', ['-', '--map', 'a=b'], '{}', /--map takes/],
    ['an invalid --format', ['-', '--format', 'xml'], '{}', /--format takes/],
  ])('rejects %s with one line', async (_, argv, input, message) => {
    const { code, out, err } = await run(argv, input);
    expect([1, 2]).toContain(code);
    expect(err).toMatch(message);
    expect(err).toMatch(/^keyward: [^\n]*\n(See: [^\n]*\n)?$/);
    expectNoValue(out + err);
  });
});

describe('an interrupted import', () => {
  const ROWS = 10_000;
  const rows = (name: string) =>
    Array.from({ length: ROWS }, (_, n) =>
      JSON.stringify(
        n % 1000 === 7
          ? { name, key: 'bad' }
          : n % 2 === 0
            ? { name, key: `secret-${name}-${n}` }
            : { name, keyHash: sha256(`secret-${name}-${n}`) },
      ),
    ).join('\n');
  const progressFile = (path: string) => `${path}.keyward-import`;
  const progressWritten = async (path: string) => {
    while (!existsSync(progressFile(path))) await wait(5);
  };

  it('continues where it stopped after kill -9, and each key exists once', async () => {
    const path = file('killed.ndjson', rows('killed'));
    const first = startImport([path]);
    await progressWritten(path);
    first.kill('SIGKILL');
    expect((await ended(first)).code).toBe(null);
    const rowsDone = JSON.parse(readFileSync(progressFile(path), 'utf8')).rows;
    expectNoValue(readFileSync(progressFile(path), 'utf8'));
    expect(rowsDone).toBeGreaterThan(0);
    expect(rowsDone).toBeLessThan(ROWS);

    const { code, out, err } = await run([path, '--json']);
    expect(code).toBe(1);
    expect(err).toContain(`Continuing after ${rowsDone.toLocaleString('en-GB')} rows.`);
    const summary = JSON.parse(out);
    expect(summary).toMatchObject({ rows: ROWS, refused: ROWS / 1000 });
    expect(summary.imported + summary.exists).toBe(ROWS - ROWS / 1000);
    expect(await countNamed('killed')).toBe(ROWS - ROWS / 1000);
    const report = readFileSync(`${path}.refused.csv`, 'utf8').trimEnd().split('\r\n');
    expect(report.slice(1).map((line) => Number(line.split(',')[0]))).toEqual(
      Array.from({ length: ROWS / 1000 }, (_, n) => n * 1000 + 8),
    );
    expect(existsSync(progressFile(path))).toBe(false);
    for (const n of [0, 1, ROWS - 2, ROWS - 1])
      expect(await valid(`secret-killed-${n}`)).toBe(true);
  });

  it('starts over if the database was restored to a time before it', async () => {
    const path = file('restored.ndjson', rows('restored'));
    const backup = join(folder, 'before.db');
    const dataDir = ['--data-dir', join(folder, 'data')];
    expect((await ended(startCommand(['backup', backup], dataDir))).code).toBe(0);
    const first = startImport([path]);
    await progressWritten(path);
    first.kill('SIGKILL');
    await ended(first);
    await server.end('SIGTERM');
    const restored = await ended(startCommand(['restore', backup], [...dataDir, '--force']));
    expect(restored.out).toContain('The replaced database is ');
    server = await start();

    const { code, out, err } = await run([path, '--json']);
    expect(code).toBe(1);
    expect(err).toContain('The server no longer has these rows. Starting over.');
    const summary = { rows: ROWS, imported: ROWS - ROWS / 1000, exists: 0, refused: ROWS / 1000 };
    expect(JSON.parse(out)).toMatchObject(summary);
    expect(await countNamed('restored')).toBe(ROWS - ROWS / 1000);
    const report = readFileSync(`${path}.refused.csv`, 'utf8').trimEnd().split('\r\n');
    expect(report).toHaveLength(1 + ROWS / 1000);
  });

  it.each([
    ['was deleted', 'deleted', []],
    ['is another file now', 'moved', ['--refused', 'elsewhere.csv']],
  ])('continues although the report of refused rows %s', async (_, name, options) => {
    const path = file(`${name}.ndjson`, rows(name));
    const first = startImport([path]);
    await progressWritten(path);
    first.kill('SIGKILL');
    await ended(first);
    const rowsDone = JSON.parse(readFileSync(progressFile(path), 'utf8')).rows;
    if (options.length === 0) rmSync(`${path}.refused.csv`);
    const other = file('elsewhere.csv', 'replaced '.repeat(1_000));
    const reportFile = options.length === 0 ? `${path}.refused.csv` : other;

    const { code, out, err } = await run([path, '--json', ...options]);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('will not list the rows refused before that.'),
    });
    expect(JSON.parse(out)).toMatchObject({ rows: ROWS, refused: ROWS / 1000 });
    const [header, ...lines] = readFileSync(reportFile, 'utf8').trimEnd().split('\r\n');
    expect(header).toBe('line,code,message');
    const expected = Array.from({ length: ROWS / 1000 }, (_, n) => n * 1000 + 8);
    expect(lines.map((line) => Number(line.split(',')[0]))).toEqual(
      expected.filter((line) => line > rowsDone),
    );
  });

  it('waits while the server is killed and restarted, and continues', async () => {
    const path = file('server.ndjson', rows('server'));
    const importing = startImport([path, '--json']);
    const over = ended(importing);
    await progressWritten(path);
    await server.end('SIGKILL');
    server = await start();
    const { code, out } = await over;
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ rows: ROWS, refused: ROWS / 1000 });
    expect(await countNamed('server')).toBe(ROWS - ROWS / 1000);
  });

  it('ignores the progress of another file', async () => {
    const path = file('other.ndjson', '{"name":"Other","key":"secret-other"}\n');
    writeFileSync(progressFile(path), JSON.stringify({ of: 'another', rows: 1, reportBytes: 0 }));
    expect(JSON.parse((await run([path, '--json'])).out)).toMatchObject({ imported: 1 });
    expect(await valid('secret-other')).toBe(true);
  });
});
