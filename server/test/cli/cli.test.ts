// 25 s of CPU: every command is a process, started as users start it.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const KEYWARD = fileURLToPath(new URL('../../bin/keyward.mjs', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'keyward-cli-e2e-'));
const dataDirectory = join(directory, 'data');

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Starts a process whose environment contains only PATH and `env`. */
function start(argv: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [KEYWARD, ...argv], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: directory,
  });
}

async function ended(child: ChildProcess): Promise<Ended> {
  const exit = new Promise<number | null>((done) => child.once('exit', done));
  const [out, err, code] = await Promise.all([text(child.stdout!), text(child.stderr!), exit]);
  return { code, out, err };
}

/** Starts the real server and waits until it prints its URL. */
async function serve(): Promise<{ child: ChildProcess; output: string; url: string }> {
  const child = start(['serve'], {
    PORT: '0',
    KEYWARD_METRICS_PORT: '0',
    KEYWARD_DRAIN_SECONDS: '0',
    KEYWARD_DATA_DIR: dataDirectory,
  });
  let output = '';
  let errors = '';
  child.stderr!.on('data', (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${errors}`)));
    child.stdout!.on('data', (chunk) => {
      output += chunk;
      const url = /ready at (http:\/\/\S+)/.exec(output)?.[1];
      if (url !== undefined && output.endsWith('\n\n')) resolve({ child, output, url });
    });
  });
}

function stop(child: ChildProcess): Promise<number | null> {
  child.removeAllListeners('exit');
  const exit = new Promise<number | null>((done) => child.once('exit', done));
  child.kill('SIGTERM');
  return exit;
}

let server: Awaited<ReturnType<typeof serve>>;
let accessKey: string;

beforeAll(async () => {
  server = await serve();
  accessKey = /access key\s+(account_access_\w+)/.exec(server.output)![1]!;
});

afterAll(async () => {
  if (server.child.exitCode === null) await stop(server.child);
  rmSync(directory, { recursive: true });
});

function keyward(argv: readonly string[], options: { input?: string; operator?: boolean } = {}) {
  const child = start(argv, {
    KEYWARD_URL: server.url,
    ...(options.operator ? { KEYWARD_DATA_DIR: dataDirectory } : { KEYWARD_ACCESS_KEY: accessKey }),
  });
  child.stdin!.end(options.input ?? '');
  return ended(child);
}

async function json<T = Record<string, unknown>>(
  argv: readonly string[],
  options: { input?: string; operator?: boolean } = {},
): Promise<T> {
  const { code, out, err } = await keyward([...argv, '--json'], options);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('a key', () => {
  let id: string;
  let value: string;

  it('is created with all options, its value shown once', async () => {
    const made = await json([
      ...['keys', 'create', '--name', 'Ada', '--metadata', '{"plan":"pro"}', '--user-id', 'u1'],
      ...['--rate-limit', '3/1h', '--expiry', '2090-01-01', '--account-id', 'c1'],
    ]);
    expect(made).toMatchObject({
      name: 'Ada',
      customMetaData: { plan: 'pro' },
      customUserId: 'u1',
      customAccountId: 'c1',
      rateLimitConfigs: { rateLimit: 3, rateLimitTtl: 3600 },
      expiresAt: '2090-01-01T00:00:00.000Z',
    });
    id = String(made.id);
    value = String(made.key);
    const shown = await keyward(['keys', 'get', id]);
    expect(shown.out).toContain(id);
    expect(shown.out).not.toContain(value);
  });

  it('is found by its value, read from standard input', async () => {
    expect(await json(['keys', 'get', '-'], { input: `${value}\n` })).toMatchObject({ id });
  });

  it('is valid until its limit is reached', async () => {
    const validate = () => keyward(['keys', 'validate', '-'], { input: value });
    expect(await validate()).toMatchObject({
      code: 0,
      out: `valid  Ada (${id}, live), 2 requests left in this window\n`,
    });
    await validate();
    await validate();
    expect(await validate()).toMatchObject({
      code: 1,
      out: 'refused  Too many requests (rate_limited)\n',
    });
  });

  it('is updated, revoked, reactivated, rotated and erased', async () => {
    await json(['keys', 'update', id, '--clear', 'rate-limit', '--clear', 'user-id']);
    expect(await json(['keys', 'get', id])).toMatchObject({
      name: 'Ada',
      rateLimitConfigs: null,
      customUserId: null,
      customAccountId: 'c1',
    });
    expect(await keyward(['keys', 'revoke', id])).toEqual({ code: 0, out: 'Revoked.\n', err: '' });
    const refused = await keyward(['keys', 'validate', value]);
    expect(refused).toEqual({
      code: 1,
      out: 'refused  Invalid client key (key_revoked)\n',
      err: '',
    });
    expect(await json(['keys', 'reactivate', id])).toMatchObject({ isActive: true });
    const rotated = await json(['keys', 'rotate', id, '--grace', '1h']);
    expect((await keyward(['keys', 'validate', value])).code).toBe(0);
    expect((await keyward(['keys', 'validate', String(rotated.key)])).code).toBe(0);
    await keyward(['keys', 'delete', id, '--permanent', '--yes']);
    const gone = await keyward(['keys', 'get', id]);
    expect(gone.code).toBe(1);
    expect(gone.err).toMatch(
      /^keyward: Invalid client key \(key_not_found, request \S+\)\nSee: http\S+\/docs\/errors\/key_not_found\n$/,
    );
  });
});

describe('a key with restrictions', () => {
  let id: string;
  let value: string;

  it('is created with permissions, addresses, start and tags', async () => {
    const made = await json([
      ...['keys', 'create', '--name', 'Restricted', '--permission', 'documents.*'],
      ...['--allow-ip', '10.0.0.0/8', '--starts', '2020-01-01', '--tag', 'eu', '--tag', 'beta'],
    ]);
    const policies = {
      permissions: ['documents.*'],
      allowedIPs: ['10.0.0.0/8'],
      startsAt: '2020-01-01T00:00:00.000Z',
      tags: ['eu', 'beta'],
    };
    expect(made).toMatchObject(policies);
    id = String(made.id);
    value = String(made.key);
    const shown = await keyward(['keys', 'get', id]);
    expect(shown.out).toMatch(/permissions +documents\.\*\n/);
    expect(shown.out).toMatch(/allowedIPs +10\.0\.0\.0\/8\n/);
    expect(shown.out).toMatch(/tags +eu, beta\n/);
    const listed = await keyward(['keys', 'list', '--tag', 'eu', '--tag', 'beta']);
    expect(listed.out).toMatch(/PERMISSIONS +TAGS/);
    expect(listed.out).toContain(id);
    expect(await json(['keys', 'list', '--tag', 'eu', '--tag', 'other'])).toEqual([]);
  });

  it('is validated with permissions and an address', async () => {
    const validate = (...conditions: string[]) =>
      keyward(['keys', 'validate', '-', ...conditions], { input: value });
    const inside = ['--ip', '10.1.2.3'];
    expect((await validate('--permission', 'documents.read', ...inside)).code).toBe(0);
    expect(await validate('--permission', 'reports.read', ...inside)).toMatchObject({
      code: 1,
      out: expect.stringContaining('(permission_denied, missing: reports.read)'),
    });
    expect((await validate()).out).toContain('(ip_denied)');
    expect((await validate('--ip', '10.1.2')).err).toMatch(/^keyward: --ip must be an IP address/);
  });

  it('is explained check by check, without being used', async () => {
    const { lastUsedAt } = await json(['keys', 'get', id]);
    const { code, out } = await keyward(['keys', 'explain', id, '--ip', '192.0.2.1']);
    expect(code).toBe(1);
    expect(out).toContain('passed   key active\n');
    expect(out).toContain('failed   address (ip_denied)\n');
    expect(out).toContain('skipped  permissions\n');
    expect(out).toMatch(/\nrefused {2}ip_denied\n$/);
    const conditions = ['--permission', 'documents.read', '--ip', '10.0.0.1'];
    expect(await json(['keys', 'explain', id, ...conditions])).toMatchObject({ valid: true });
    expect(await json(['keys', 'get', id])).toMatchObject({ lastUsedAt });
  });

  it('loses each restriction with --clear', async () => {
    const names = ['permission', 'allow-ip', 'starts', 'tag'];
    const changed = await json([
      ...['keys', 'update', id],
      ...names.flatMap((name) => ['--clear', name]),
    ]);
    const unset = { permissions: [], allowedIPs: null, startsAt: null, tags: [] };
    expect(changed).toMatchObject({ name: 'Restricted', ...unset });
  });
});

describe('portal', () => {
  it('prints a link that opens the portal, lists the session and ends it', async () => {
    const { out, code } = await keyward(['portal', 'acme-cli', '--allow', 'keys:read']);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^http\S+\/portal\/prj_\w+\/#portal_\w+\n$/),
    ]);
    const token = out.trim().split('#')[1]!;
    const call = () =>
      fetch(`${server.url}/portal/api-keys`, { headers: { authorization: `Bearer ${token}` } });
    expect((await call()).status).toBe(200);
    const [session] = await json<{ id: string }[]>([
      'portal-sessions',
      'list',
      '--customer',
      'acme-cli',
    ]);
    expect(session).toMatchObject({ customAccountId: 'acme-cli', allow: ['keys:read'] });
    expect((await keyward(['portal-sessions', 'end', session!.id])).out).toBe(
      'Portal session ended.\n',
    );
    expect((await call()).status).toBe(401);
    const [project] = await json<{ id: string }[]>(['projects', 'list']);
    const site = 'https://app.example.com';
    const update = ['projects', 'update', project!.id];
    const branding = ['--brand-name', 'Acme', '--portal-origin', site];
    expect(await json([...update, ...branding])).toMatchObject({
      branding: { name: 'Acme' },
      portalOrigins: [site],
    });
    expect(await json([...update, '--clear', 'branding'])).toMatchObject({
      branding: { name: null },
      portalOrigins: [site],
    });
  });
});

describe('plans and customers', () => {
  it('are created, listed, changed, assigned and deleted', async () => {
    const plan = await json([
      ...['plans', 'create', '--name', 'Pro', '--permission', 'documents.*'],
      ...['--limit', 'second=20/1', '--limit', 'month=1000/30d,customer,sliding,shadow'],
    ]);
    const second = { name: 'second', rateLimit: 20, rateLimitTtl: 1 };
    const month = { name: 'month', rateLimit: 1000, rateLimitTtl: 30 * 86_400 };
    expect(plan).toMatchObject({
      name: 'Pro',
      permissions: ['documents.*'],
      limits: [
        { ...second, per: 'key', algorithm: 'fixed', mode: 'enforce' },
        { ...month, per: 'customer', algorithm: 'sliding', mode: 'shadow' },
      ],
    });
    const planId = String(plan.id);
    const customer = await json([
      ...['customers', 'create', '--account-id', 'acme-cli', '--name', 'Acme'],
      ...['--plan', planId, '--tag', 'beta'],
    ]);
    expect(customer).toMatchObject({ customAccountId: 'acme-cli', planId, tags: ['beta'] });
    const key = await json(['keys', 'create', '--name', 'On a plan', '--account-id', 'acme-cli']);
    expect(await json(['keys', 'get', String(key.id), '--effective'])).toMatchObject({
      effective: { planId, permissions: ['documents.*'], levels: { planId: 'customer' } },
    });
    const own = ['acme-cli', '--project', String(key.projectId)];
    expect(await json(['customers', 'get', ...own])).toEqual(customer);
    expect(await json(['customers', 'list', '--plan', planId])).toEqual([customer]);
    expect((await keyward(['plans', 'list'])).out).toContain(planId);
    const inUse = await keyward(['plans', 'delete', planId]);
    expect(inUse).toMatchObject({ code: 1, err: expect.stringContaining('1 customer') });
    const changed = await json(['customers', 'update', ...own, '--clear', 'plan', '--name', 'B']);
    expect(changed).toMatchObject({ planId: null, name: 'B' });
    expect(await json(['plans', 'update', planId, '--clear', 'limit'])).toMatchObject({
      limits: [],
      permissions: ['documents.*'],
    });
    expect((await keyward(['customers', 'delete', ...own])).out).toContain('Customer deleted');
    expect((await keyward(['plans', 'delete', planId])).out).toBe('Plan deleted.\n');
  });

  it('have credits, which are added, removed and set', async () => {
    const refill = ['--refill', '1000/month,Europe/Berlin'];
    const key = await json(['keys', 'create', '--name', 'Paid', '--credits', '7', ...refill]);
    const month = { amount: 1000, interval: 'month', timezone: 'Europe/Berlin' };
    expect(key.credits).toMatchObject({ remaining: 7, refill: month });
    const id = String(key.id);
    const order = ['--idempotency-key', 'order-1'];
    for (let sent = 0; sent < 2; sent++)
      expect(await json(['credits', 'add', id, '5', ...order])).toMatchObject({ remaining: 12 });
    expect(await json(['credits', 'remove', id, '2'])).toMatchObject({ remaining: 10 });
    const spent = await keyward(['keys', 'validate', String(key.key), '--cost', '4']);
    expect(spent.out).toContain('6 credits left');
    const tooMuch = await keyward(['keys', 'validate', String(key.key), '--cost', '7']);
    expect(tooMuch).toMatchObject({ code: 1, out: expect.stringContaining('credits_exhausted') });
    const explained = await keyward(['keys', 'explain', id, '--cost', '7']);
    expect(explained.code).toBe(1);
    expect(explained.out).toMatch(/\ncredits: 6 left \(of the key, too few, next refill at 20/);
    const customer = ['customers', 'create', '--account-id', 'paying', '--credits', '3'];
    expect((await json(customer)).credits).toMatchObject({ remaining: 3, refill: null });
    const own = ['paying', '9', '--project', String(key.projectId)];
    expect(await json(['credits', 'set', ...own])).toMatchObject({ remaining: 9 });
    const cleared = await json(['keys', 'update', id, '--clear', 'credits']);
    expect(cleared.credits).toBeNull();
    expect(await keyward(['credits', 'add', id, 'many'])).toMatchObject({ code: 2 });
  });

  it('show what a draft would have refused', async () => {
    const limits = ['--limit', 'minute=60/1m', '--limit', 'second=1/1', '--credits', '5/day'];
    const plan = await json(['plans', 'create', '--name', 'Draft', ...limits]);
    expect(plan.credits).toEqual({ amount: 5, interval: 'day' });
    const { code, out } = await keyward(['plans', 'preview', String(plan.id), '--hours', '2']);
    expect(code).toBe(0);
    expect(out).toMatch(/^0 requests of 0 keys from .*; 0 would have been refused\n/);
    expect(out).toContain('\nlimit minute: would have refused 0\ncredits: would have refused 0');
    expect(out).toContain('\nlimit second: not replayed');
    const drafted = await json(['plans', 'preview', '--limit', 'hour=5/1h,customer']);
    expect(drafted).toMatchObject({ planId: null, limits: [{ name: 'hour' }], credits: null });
  });

  it('refuse a limit that is not well-formed, before anything is sent', async () => {
    const create = (limit: string) => keyward(['plans', 'create', '--name', 'x', '--limit', limit]);
    for (const limit of ['day', '=5/1d', 'day=5', 'day=5/1d,daily']) {
      const { code, err } = await create(limit);
      expect([code, err]).toEqual([2, expect.stringContaining('--limit takes')]);
    }
  });
});

describe('lists', () => {
  it('are shown in pages or completely, filtered, as text and as JSON', async () => {
    for (const name of ['one', 'two', 'three'])
      await json(['keys', 'create', '--name', name, '--account-id', 'listed']);
    const filter = ['keys', 'list', '--account-id', 'listed'];
    const page = await keyward([...filter, '--limit', '2']);
    expect(page.out).toMatch(/^ID .* NAME/);
    expect(page.out).toContain('three');
    expect(page.out).not.toContain('one');
    const cursor = /--cursor (\S+),/.exec(page.err)![1]!;
    expect((await keyward([...filter, '--cursor', cursor])).out).toContain('one');
    const all = await json<{ name: string }[]>([...filter, '--all']);
    expect(all.map(({ name }) => name)).toEqual(['three', 'two', 'one']);
    expect(await json(['keys', 'list', '--name', 'unknown'])).toEqual([]);
  });
});

describe('projects and invitations', () => {
  it('a project is deactivated and reactivated with its keys', async () => {
    const project = await json(['projects', 'create', '--name', 'trial', '--env', 'test']);
    const id = String(project.id);
    const made = await json(['keys', 'create', '--name', 'k', '--project', id]);
    const value = String(made.key);
    expect(value).toMatch(/^test_/);
    expect((await keyward(['projects', 'rename', id, 'Trial 2'])).out).toContain('Trial 2');
    const prefixed = await json(['projects', 'update', id, '--key-prefix', 'acme_test_']);
    expect(prefixed).toMatchObject({ name: 'Trial 2', keyPrefix: 'acme_test_' });
    const other = await json(['keys', 'create', '--name', 'k2', '--project', id]);
    expect(other.key).toMatch(/^acme_test_\w{49}$/);
    expect((await keyward(['projects', 'delete', id])).code).toBe(0);
    expect((await keyward(['keys', 'validate', value])).code).toBe(1);
    await json(['projects', 'reactivate', id]);
    expect((await keyward(['keys', 'validate', value])).code).toBe(0);
    expect((await keyward(['projects', 'list'])).out).toContain('Trial 2');
    // Keys created below without a project belong to the only active project.
    await keyward(['projects', 'delete', id]);
  });

  it('an invitation shows its link once and can be cancelled', async () => {
    const made = await keyward(['invitations', 'create', 'Ada@Example.com', '--role', 'viewer']);
    expect(made.out).toMatch(/\/dashboard\/invitations\/inv_\w+#token=/);
    expect(made.out).toContain('The link above will not be shown again');
    const listed = await json<{ id: string; email: string }[]>(['invitations', 'list']);
    expect(listed).toMatchObject([{ email: 'ada@example.com', status: 'pending' }]);
    expect(JSON.stringify(listed)).not.toContain('token');
    const again = await keyward(['invitations', 'resend', listed[0]!.id]);
    expect(again.out).toContain(`/dashboard/invitations/${listed[0]!.id}#token=`);
    expect((await keyward(['invitations', 'cancel', listed[0]!.id])).out).toBe('Cancelled.\n');
    expect(await json(['invitations', 'list', '--status', 'pending'])).toEqual([]);
  });
});

describe('the operator, with only the data directory', () => {
  it('replaces a lost access key', async () => {
    const [account] = await json<{ id: string }[]>(['accounts', 'list'], { operator: true });
    const create = ['access-keys', 'create', '--name', 'recovered', '--account', account!.id];
    const made = await json(create, { operator: true });
    const list = await keyward(['projects', 'list', '--access-key', String(made.key)]);
    expect(list.code).toBe(0);
    const update = ['access-keys', 'update', String(made.id), '--scope', 'projects:read'];
    expect(await json(update, { operator: true })).toMatchObject({ scopes: ['projects:read'] });
    await keyward(['access-keys', 'revoke', String(made.id)], { operator: true });
    const refused = await keyward(['projects', 'list', '--access-key', String(made.key)]);
    expect(refused.err).toContain('credential_revoked');
  });

  it('creates accounts that are isolated from each other', async () => {
    const acme = await json(['accounts', 'create', '--name', 'Acme'], { operator: true });
    const id = String(acme.id);
    await json(['accounts', 'rename', id, 'Acme Ltd'], { operator: true });
    const create = ['access-keys', 'create', '--name', 'theirs', '--account', id];
    const { key } = await json(create, { operator: true });
    expect(await json(['keys', 'list', '--access-key', String(key)])).toEqual([]);
    expect(await json(['accounts', 'list', '--access-key', String(key)])).toMatchObject([
      { id, name: 'Acme Ltd' },
    ]);
    const foreign = await keyward(['accounts', 'rename', id, 'Mine']);
    expect(foreign.err).toContain('account_not_found');
  });

  it('works also with an access key in the environment', async () => {
    const made = await json(['accounts', 'create', '--name', 'x']);
    const link = await keyward(['owner-link', '--account', String(made.id)]);
    expect(link.out).toContain('/dashboard/');
    const [account] = await json<{ id: string }[]>(['accounts', 'list']);
    expect(account!.id).not.toBe(made.id);
  });

  it('is rejected with another root secret', async () => {
    const child = start(['accounts', 'list'], {
      KEYWARD_URL: server.url,
      KEYWARD_SECRET: 'another root secret, long enough',
    });
    const { code, err } = await ended(child);
    expect(code).toBe(1);
    expect(err).toContain('credential_invalid');
  });
});

describe('the database', () => {
  it('is backed up while the server runs, and restored', async () => {
    const before = await json(['keys', 'create', '--name', 'kept']);
    const backup = join(directory, 'copy.db');
    expect((await keyward(['backup', backup], { operator: true })).code).toBe(0);
    const after = await json(['keys', 'create', '--name', 'too late']);

    const whileRunning = await keyward(['restore', backup, '--force'], { operator: true });
    expect(whileRunning.code).toBe(1);
    expect(whileRunning.err).toContain('is using the data directory');

    expect(await stop(server.child)).toBe(0);
    const afterStop = await keyward(['keys', 'list']);
    expect(afterStop.err).toContain('no server is listening at');
    const unforced = await keyward(['restore', backup], { operator: true });
    expect(unforced.err).toContain('--force');
    expect((await keyward(['restore', backup, '--force'], { operator: true })).code).toBe(0);
    expect((await keyward(['migrate'], { operator: true })).out).toContain('already at version');

    server = await serve();
    expect(server.output).not.toContain('account_access_');
    expect((await keyward(['keys', 'validate', String(before.key)])).code).toBe(0);
    expect((await keyward(['keys', 'validate', String(after.key)])).code).toBe(1);
    expect(existsSync(join(dataDirectory, 'keyward.db.before-restore'))).toBe(true);
  });
});

it('openapi prints the description', async () => {
  const { code, out } = await keyward(['openapi']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
});

it('an invalid setting prevents the start, with one line that names it', async () => {
  const { code, err } = await ended(start(['serve'], { PORT: 'http' }));
  expect(code).toBe(1);
  expect(err).toMatch(/^keyward: PORT .*\n$/);
});
