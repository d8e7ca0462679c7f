// 10 s of CPU: every command is a process, started as users start it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

const KEYWARD = fileURLToPath(new URL('../../bin/keyward.mjs', import.meta.url));
const ACCESS_KEY = 'an-access-key-for-this-test-only';
const directory = mkdtempSync(join(tmpdir(), 'keyward-webhooks-cli-'));

const start = (argv: readonly string[], env: Record<string, string>): ChildProcess =>
  spawn(process.execPath, [KEYWARD, ...argv], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: directory,
  });

/** Waits until the output of a child process matches; returns the first group, or the match. */
async function waitForOutput(
  child: ChildProcess,
  from: 'stdout' | 'stderr',
  line: RegExp,
): Promise<string> {
  let all = '';
  for await (const chunk of child[from]!.iterator({ destroyOnReturn: false })) {
    all += chunk;
    const match = line.exec(all);
    if (match !== null) return match[1] ?? match[0];
  }
  throw new Error(`The process ended; its output: ${all}`);
}

async function serve(name: string, allow: Record<string, string>) {
  const child = start(['serve'], {
    PORT: '0',
    KEYWARD_METRICS_PORT: '0',
    KEYWARD_DRAIN_SECONDS: '0',
    KEYWARD_DATA_DIR: join(directory, name),
    KEYWARD_BOOTSTRAP_ACCESS_KEY: ACCESS_KEY,
    KEYWARD_LOG_LEVEL: 'warn',
    ...allow,
  });
  let log = '';
  child.stderr!.on('data', (chunk) => {
    log += chunk;
  });
  const url = await waitForOutput(child, 'stdout', /ready at (http:\S+)/);
  return { child, url, log: () => log };
}

let open: Awaited<ReturnType<typeof serve>>;
let closed: Awaited<ReturnType<typeof serve>>;
let receiver: Receiver;

beforeAll(async () => {
  [open, closed, receiver] = await Promise.all([
    serve('open', { KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8' }),
    serve('closed', {}),
    startReceiver(),
  ]);
});

afterAll(async () => {
  for (const { child } of [open, closed]) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await receiver.close();
  rmSync(directory, { recursive: true });
});

const keywardAt = (url: string, argv: readonly string[]): ChildProcess =>
  start(argv, { KEYWARD_URL: url, KEYWARD_ACCESS_KEY: ACCESS_KEY });

async function run(argv: readonly string[], url = open.url) {
  const child = keywardAt(url, argv);
  const exit = once(child, 'exit');
  const [out, err] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  const [code] = await exit;
  return { code, out, err };
}

async function json(...argv: string[]) {
  const { code, out, err } = await run([...argv, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('a webhook on the command line', () => {
  it('is created, changed, delivered to, replayed and deleted', async () => {
    const made = await json(
      ...['webhooks', 'create', '--name', 'crm', '--endpoint', `${receiver.url}/crm`],
      ...['--topic', 'api-key.created,api-key.deleted', '--header', 'X-Tenant: acme'],
    );
    expect(made).toMatchObject({
      topics: ['api-key.created', 'api-key.deleted'],
      customHeaders: { 'X-Tenant': 'a*********' },
      secret: expect.stringMatching(/^whsec_/),
    });
    const shown = await run(['webhooks', 'get', made.id]);
    expect(shown.out).not.toContain(made.secret);
    const paused = await json('webhooks', 'update', made.id, '--status', 'paused', '--no-headers');
    expect(paused).toMatchObject({ status: 'paused', customHeaders: {} });
    await json('webhooks', 'update', made.id, '--status', 'live');
    const { key } = await json('keys', 'create', '--name', 'Ada');
    await receiver.until((all) => all.some(({ path }) => path === '/crm'));
    const replayed = await json('webhooks', 'replay', made.id, '--since', '2020-01-01');
    expect(replayed).toMatchObject({ status: 'done', total: 1, queued: 1 });
    await receiver.until((all) => all.filter(({ path }) => path === '/crm').length === 2);
    const [first, second] = receiver.received.filter(({ path }) => path === '/crm');
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(first!.body).toContain(key);
    expect(second!.body).not.toContain(key);
    const [newest] = await json('webhooks', 'deliveries', made.id, '--topic', 'api-key.created');
    expect(await json('webhooks', 'retry', made.id, newest.id)).toMatchObject({ id: newest.id });
    const rotated = await json('webhooks', 'rotate-secret', made.id);
    expect(rotated.secret).not.toBe(made.secret);
    expect((await run(['webhooks', 'list'])).out).toContain(made.id);
    const deleted = await run(['webhooks', 'delete', made.id]);
    expect(deleted).toEqual({ code: 0, out: 'Deleted.\n', err: '' });
    expect((await run(['webhooks', 'list'])).out).not.toContain(made.id);
  });

  it('is tested before it is created', async () => {
    const good = await run(['webhooks', 'test', `${receiver.url}/ok`]);
    expect(good).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^received {2}status 200, in /),
    });
    const bad = await run(['webhooks', 'test', `${receiver.url}/error`, '--method', 'PUT']);
    expect(bad).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^failed {2}.*\nit broke\n$/),
    });
    const refused = await run(['webhooks', 'test', `${receiver.url}/ok`], closed.url);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('url must have a public address');
  });

  it('is tested by its id, with its own method and headers', async () => {
    const made = await json(
      ...['webhooks', 'create', '--name', 'tried', '--endpoint', `${receiver.url}/tried`],
      ...['--topic', 'project.updated', '--method', 'PUT', '--header', 'X-Tenant: acme'],
    );
    expect(await run(['webhooks', 'test', made.id])).toMatchObject({ code: 0 });
    await run(['webhooks', 'test', made.id, '--method', 'POST', '--header', 'X-Tenant: other']);
    const tried = receiver.received.filter(({ path }) => path === '/tried');
    expect(tried.map(({ method, headers }) => [method, headers['x-tenant']])).toEqual([
      ['PUT', 'acme'],
      ['POST', 'other'],
    ]);
    const unknown = await run(['webhooks', 'test', 'whk_nothing']);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain('webhook_not_found');
    await run(['webhooks', 'delete', made.id]);
  });

  it('may have an address that the server allows, which the server logs at its start', () => {
    expect(open.log()).toContain('127.0.0.0/8');
    expect(closed.log()).toBe('');
  });
});

describe('webhooks listen', () => {
  it('prints each event after verifying its signature, and deletes its webhook at Ctrl-C', async () => {
    const child = keywardAt(open.url, ['webhooks', 'listen', '--topics', 'api-key.created']);
    const exit = once(child, 'exit');
    const url = await waitForOutput(child, 'stderr', /Listening at (\S+) /);
    const printed = text(child.stdout!);
    const { id, key } = await json('keys', 'create', '--name', 'Ada\u001b[31m');
    await json('keys', 'revoke', id);
    const forged = await fetch(url, { method: 'POST', body: '{"id":"evt_forged"}' });
    expect([forged.status, await forged.text()]).toEqual([
      400,
      'The request has no webhook signature headers.',
    ]);
    const [{ id: hook }] = await json('webhooks', 'list');
    for (let status = ''; status !== 'delivered'; )
      [{ status }] = await json('webhooks', 'deliveries', hook);
    child.kill('SIGINT');
    expect(await exit).toEqual([0, null]);
    const out = await printed;
    expect(out.trim().split('\n')).toHaveLength(1);
    expect(out).toContain(`api-key.created     Ada\ufffd[31m (${id})`);
    expect(out).toContain('verified');
    expect(out).not.toContain(key);
    expect(await json('webhooks', 'list')).toEqual([]);
  });

  it('prints events as JSON for a script, and ends after the requested number', async () => {
    const argv = ['webhooks', 'listen', '--json', '--count', '1'];
    const child = keywardAt(open.url, argv);
    const exit = once(child, 'exit');
    await waitForOutput(child, 'stderr', /Listening at/);
    const printed = text(child.stdout!);
    const made = await json('keys', 'create', '--name', 'Bob');
    expect(await exit).toEqual([0, null]);
    const event = JSON.parse(await printed);
    expect(event).toMatchObject({ type: 'api-key.created', data: { key: made.key } });
    const none = await run(['webhooks', 'listen', '--count', '0']);
    expect(none).toMatchObject({ code: 2 });
    expect(none.err).toContain('--count takes a number from 1 to');
  });

  it('explains the required setting if the server may not reach this machine', async () => {
    const { code, err } = await run(['webhooks', 'listen'], closed.url);
    expect(code).toBe(1);
    expect(err).toContain('start it here with KEYWARD_WEBHOOK_ALLOW=127.0.0.0/8');
  });
});
