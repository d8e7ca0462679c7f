import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deriveSecrets } from '../kernel/secrets/crypto.ts';
import { runCli } from './run.ts';
import type { Terminal } from './terminal/terminal.ts';

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

type Reply = { status?: number; headers?: Record<string, string>; body: unknown };

/** A fake server, for tests of requests and output only. */
let server: Server;
let url: string;
let seen: Seen[] = [];
let reply: (request: Seen) => Reply = () => ({ body: {} });

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const sent = await text(request);
    const call = {
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: sent === '' ? undefined : JSON.parse(sent),
    };
    seen.push(call);
    const { status = 200, headers = {}, body } = reply(call);
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => new Promise((done) => server.close(done)));

beforeEach(() => {
  seen = [];
  reply = () => ({ body: {} });
});

async function run(
  argv: string[],
  options: { env?: Record<string, string>; input?: string; answer?: string } = {},
): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const terminal: Terminal = {
    env: { KEYWARD_URL: url, KEYWARD_ACCESS_KEY: 'account_access_x', ...options.env },
    columns: null,
    out: (line) => {
      out += line;
    },
    err: (line) => {
      err += line;
    },
    progress: () => {},
    style: (_, line) => line,
    readInput: async () => options.input ?? '',
    ...(options.answer !== undefined && { ask: async () => options.answer! }),
  };
  const code = await runCli(argv, terminal);
  return { code, out, err };
}

describe('requests', () => {
  it('keys create sends exactly the given options', async () => {
    await run([
      ...['keys', 'create', '--name', 'Ada', '--project', 'prj_1', '--metadata', '{"a":1}'],
      ...[
        '--expiry',
        '2030-01-01',
        '--rate-limit',
        '10/60',
        '--domain',
        'a.io',
        '--domain',
        'b.io',
      ],
      ...['--key', 'my-own-value', '--account-id', 'c1', '--user-id', 'u1'],
      ...['--permission', 'documents.*', '--permission', 'reports.read', '--tag', 'eu'],
      ...['--allow-ip', '10.0.0.0/8', '--allow-ip', '2001:db8::1', '--starts', '2029-01-01'],
    ]);
    expect(seen).toMatchObject([{ method: 'POST', url: '/api-keys' }]);
    expect(seen[0]!.headers['x-api-key']).toBe('account_access_x');
    expect(seen[0]!.headers).not.toHaveProperty('x-keyward-operator');
    expect(seen[0]!.body).toEqual({
      name: 'Ada',
      projectId: 'prj_1',
      customMetaData: { a: 1 },
      expiry: '2030-01-01',
      rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 60 },
      allowedDomains: ['a.io', 'b.io'],
      key: 'my-own-value',
      customAccountId: 'c1',
      customUserId: 'u1',
      permissions: ['documents.*', 'reports.read'],
      allowedIPs: ['10.0.0.0/8', '2001:db8::1'],
      startsAt: '2029-01-01',
      tags: ['eu'],
    });
    await run(['keys', 'create', '--name', 'bare']);
    expect(seen[1]!.body).toEqual({ name: 'bare' });
  });

  it('keys update sends only the given fields, and clears others', async () => {
    reply = () => ({ body: {} });
    await run(['keys', 'update', 'a~b', '--clear', 'expiry', '--clear', 'domain']);
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['PATCH /api-keys/a~b']);
    expect(seen[0]!.body).toEqual({ expiry: null, allowedDomains: null });
    const policies = ['permission', 'allow-ip', 'starts', 'tag'].flatMap((name) => [
      '--clear',
      name,
    ]);
    await run(['keys', 'update', 'a~b', ...policies]);
    const unset = { permissions: null, allowedIPs: null, startsAt: null, tags: null };
    expect(seen[1]!.body).toEqual(unset);
  });

  it('keys list and keys count send every --tag', async () => {
    reply = () => ({ body: [] });
    await run(['keys', 'list', '--tag', 'eu', '--tag', 'beta', '--limit', '5']);
    await run(['keys', 'count', '--tag', 'eu']);
    expect(seen.map(({ url }) => url)).toEqual([
      '/api-keys?tag=eu&tag=beta&limit=5',
      '/api-keys/count?tag=eu',
    ]);
  });

  it('keys validate and keys explain send the conditions', async () => {
    const conditions = ['--permission', 'a.read', '--permission', 'b:c', '--ip', '2001:db8::1'];
    reply = () => ({ body: { valid: true, code: 'valid', missing: [], checks: [] } });
    await run(['keys', 'validate', 'value', ...conditions]);
    await run(['keys', 'explain', 'key_1', ...conditions, '--origin', 'app.io']);
    await run(['keys', 'explain', 'key_1']);
    const sent = { permissions: ['a.read', 'b:c'], clientIP: '2001:db8::1' };
    expect(seen).toMatchObject([
      { method: 'POST', url: '/api-keys/auth', body: { key: 'value', ...sent } },
      { method: 'POST', url: '/api-keys/key_1/explain' },
      { body: {} },
    ]);
    expect(seen[1]!.body).toEqual({ ...sent, originDomain: 'app.io' });
  });

  it('projects create and update send the prefix of keys', async () => {
    await run(['projects', 'create', '--name', 'a', '--key-prefix', 'acme_']);
    await run(['projects', 'update', 'prj_1', '--key-prefix', 'acme_live_']);
    await run(['projects', 'update', 'prj_1', '--clear', 'key-prefix', '--name', 'b']);
    const portal = ['--brand-name', 'Acme', '--portal-origin', 'https://a.example'];
    await run(['projects', 'create', 'c', '--env', 'test', ...portal]);
    expect(seen.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH', 'POST']);
    expect(seen.map(({ body }) => body)).toEqual([
      { name: 'a', keyPrefix: 'acme_' },
      { keyPrefix: 'acme_live_' },
      { name: 'b', keyPrefix: null },
      {
        name: 'c',
        env: 'test',
        branding: { name: 'Acme' },
        portalOrigins: ['https://a.example'],
      },
    ]);
  });

  it('an argument cannot change the rest of the path', async () => {
    await run(['projects', 'get', '../accounts?x#y']);
    expect(seen[0]!.url).toBe('/projects/..%2Faccounts%3Fx%23y');
  });

  it('keys validate sends the value from standard input in the body, never in the path', async () => {
    await run(['keys', 'validate', '-', '--origin', 'app.io'], { input: 'live_secret' });
    expect(seen).toMatchObject([
      { method: 'POST', url: '/api-keys/auth', body: { key: 'live_secret' } },
    ]);
    expect(seen[0]!.headers['x-origin-domain']).toBe('app.io');
  });
});

describe('keys delete', () => {
  beforeEach(() => {
    reply = ({ method }) => ({ body: method === 'GET' ? { id: 'key_1', name: 'Ada' } : true });
  });
  const sent = () => seen.map(({ method, url }) => `${method} ${url}`);
  const erase = ['keys', 'delete', 'key_1', '--permanent'];

  it('asks at a terminal, and does nothing unless the answer is yes', async () => {
    const no = await run(erase, { answer: 'no' });
    expect(no).toMatchObject({ code: 1, err: 'keyward: nothing was changed.\n' });
    expect(sent()).toEqual(['GET /api-keys/key_1']);
    const yes = await run(erase, { answer: 'yes' });
    expect(yes).toEqual({ code: 0, out: 'Deleted permanently: Ada (key_1).\n', err: '' });
    expect(sent().at(-1)).toBe('DELETE /api-keys/key_1?permanent=true');
  });

  it('needs --yes without a terminal, and always --permanent', async () => {
    expect(await run(erase)).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect((await run(['keys', 'delete', 'key_1', '--yes'])).err).toContain('keys revoke');
    expect(sent()).not.toContain('DELETE /api-keys/key_1?permanent=true');
    expect((await run([...erase, '--yes'])).code).toBe(0);
  });
});

describe('other changes', () => {
  it('access-keys update sends the given options, and null for cleared fields', async () => {
    await run(['access-keys', 'update', 'ak_1', '--scope', 'keys:read', '--clear', 'expiry']);
    expect(seen).toMatchObject([
      { method: 'PATCH', url: '/access-keys/ak_1', body: { scopes: ['keys:read'], expiry: null } },
    ]);
    expect((await run(['access-keys', 'update', 'ak_1'])).err).toContain('nothing to change');
  });

  it('projects create, projects rename and accounts rename take --name or the bare name', async () => {
    await run(['projects', 'rename', 'prj_1', '--name', 'a']);
    await run(['projects', 'rename', 'prj_1', 'b']);
    await run(['accounts', 'rename', 'acc_1', '--name', 'c']);
    await run(['projects', 'create', '--name', 'd']);
    await run(['projects', 'create', 'e']);
    expect(seen.map(({ body }) => body)).toEqual([...'abcde'].map((name) => ({ name })));
    expect((await run(['projects', 'rename', 'prj_1'])).err).toContain('--name is missing');
    expect((await run(['projects', 'create'])).err).toContain('--name is missing');
    expect((await run(['projects', 'rename', 'prj_1', 'b', '--name', 'a'])).code).toBe(2);
  });

  it('invitations resend shows the new link', async () => {
    reply = () => ({ body: { id: 'inv_1', link: 'https://x/#token=y' } });
    expect((await run(['invitations', 'resend', 'inv_1'])).out).toContain('#token=y');
    expect(seen).toMatchObject([{ method: 'POST', url: '/invitations/inv_1/resend' }]);
  });
});

describe('lists', () => {
  const pages: Record<string, Reply> = {
    first: {
      headers: { link: '</x?cursor=two>; rel="next"' },
      body: [{ id: 'key_1' }, { id: 'key_2' }],
    },
    two: { body: [{ id: 'key_3' }] },
  };
  beforeEach(() => {
    reply = (request) => pages[new URL(request.url, url).searchParams.get('cursor') ?? 'first']!;
  });

  it('show one page and how to continue', async () => {
    const { out, err, code } = await run(['keys', 'list', '--active', 'no', '--limit', '2']);
    expect(seen.map(({ url }) => url)).toEqual(['/api-keys?isActive=false&limit=2']);
    expect(out).toContain('key_2');
    expect(out).not.toContain('key_3');
    expect(err).toContain('--cursor two');
    expect(code).toBe(0);
    const rest = await run(['keys', 'list', '--cursor', 'two']);
    expect(rest.out).toContain('key_3');
    expect(rest.err).toBe('');
  });

  it('follow the links to the end with --all, as a table or as one JSON array', async () => {
    expect((await run(['keys', 'list', '--all'])).out.match(/key_\d/g)).toHaveLength(3);
    const { out } = await run(['keys', 'list', '--all', '--json']);
    expect(JSON.parse(out)).toEqual([{ id: 'key_1' }, { id: 'key_2' }, { id: 'key_3' }]);
    pages.first = { body: [] };
    expect(JSON.parse((await run(['keys', 'list', '--json'])).out)).toEqual([]);
  });
});

describe('the operator', () => {
  const directory = mkdtempSync(join(tmpdir(), 'keyward-cli-'));
  writeFileSync(join(directory, 'secret'), 'root secret of a test\n');
  afterAll(() => rmSync(directory, { recursive: true }));
  const env = { KEYWARD_ACCESS_KEY: '', KEYWARD_DATA_DIR: directory };

  it('signs time, method and path, and never sends the secret', async () => {
    await run(['accounts', 'list', '--limit', '5'], { env });
    const { headers, method, url: path } = seen[0]!;
    const [time, nonce, bodyHash, signature] = String(headers['x-keyward-operator']).split('.');
    const { signOperator } = deriveSecrets('root secret of a test');
    expect(signature).toBe(signOperator(`${time}.${nonce}.${method}.${path}.${bodyHash}`));
    expect(path).toBe('/accounts?limit=5');
    expect(headers).not.toHaveProperty('x-api-key');
    expect(JSON.stringify(seen)).not.toContain('root secret');
  });

  it('is used instead of a given access key only with --operator', async () => {
    await run(['accounts', 'list'], { env: { ...env, KEYWARD_ACCESS_KEY: 'ak' } });
    await run(['accounts', 'list', '--operator'], { env: { ...env, KEYWARD_ACCESS_KEY: 'ak' } });
    expect(seen.map(({ headers }) => headers['x-api-key'])).toEqual(['ak', undefined]);
  });

  it.each([
    [['owner-link', '--account', 'acc_1']],
    [['people', 'reset-password', 'ada@example.com']],
    [['people', 'reset-second-factor', 'ada@example.com']],
    [['accounts', 'create', '--name', 'Acme']],
  ])('%j ignores an exported access key', async (argv) => {
    const { code, err } = await run(argv, { env: { ...env, KEYWARD_ACCESS_KEY: 'exported' } });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(seen[0]!.headers).toHaveProperty('x-keyward-operator');
    expect(seen[0]!.headers).not.toHaveProperty('x-api-key');
    expect((await run([...argv, '--operator'], { env })).code).toBe(0);
  });

  it('gets an error that explains where the root secret is needed, if it is missing', async () => {
    const nowhere = join(directory, 'none');
    const { code, err } = await run(['owner-link'], { env: { KEYWARD_DATA_DIR: nowhere } });
    expect(code).toBe(1);
    expect(err).toBe(
      `keyward: this command acts as the operator, and there is no root secret at ${nowhere}/secret: run it on the machine of the server, as its user, with --data-dir or KEYWARD_DATA_DIR naming its data directory, or set KEYWARD_SECRET.\n`,
    );
    expect(seen).toEqual([]);
  });

  it('is suggested when the exported access key is rejected', async () => {
    reply = () => ({ status: 401, body: { message: 'Not known.', code: 'credential_invalid' } });
    const argv = ['access-keys', 'create', '--name', 'recovered', '--account', 'acc_1'];
    const rejected = await run(argv, { env: { ...env, KEYWARD_ACCESS_KEY: 'lost' } });
    expect(rejected.err).toContain('add --operator to act as the operator');
    const asOperator = await run(argv, { env });
    expect(asOperator.err).not.toContain('--operator');
    const other = await run(['keys', 'list']);
    expect(other.err).not.toContain('--operator');
  });

  it('must name the account, and cannot list keys', async () => {
    expect((await run(['access-keys', 'list'], { env })).err).toContain('--account is missing');
    expect(await run(['keys', 'list'], { env })).toMatchObject({ code: 2 });
    expect(seen).toEqual([]);
  });

  it('without a readable secret gets an error that names the setting', async () => {
    const nowhere = { ...env, KEYWARD_DATA_DIR: join(directory, 'none') };
    const { code, err } = await run(['accounts', 'list'], { env: nowhere });
    expect(code).toBe(1);
    expect(err).toMatch(/^keyward: .*KEYWARD_ACCESS_KEY.*\n$/);
  });
});

describe('output', () => {
  it('a value shown once is printed with a note, but not in JSON', async () => {
    reply = () => ({ status: 201, body: { id: 'key_1', key: 'live_whole' } });
    const { out } = await run(['keys', 'create', '--name', 'x']);
    expect(out).toContain('live_whole');
    expect(out).toContain('will not be shown again');
    const json = await run(['keys', 'create', '--name', 'x', '--json']);
    expect(JSON.parse(json.out)).toEqual({ id: 'key_1', key: 'live_whole' });
    expect((await run(['keys', 'get', 'key_1'])).out).not.toContain('will not be shown again');
  });

  it('an error of the server is one line with code and request id, and the page about the code', async () => {
    const body = { message: 'This\x1b[2J lacks it.', code: 'scope_missing', requestId: 'req_9' };
    reply = () => ({ status: 403, body });
    const { code, out, err } = await run(['keys', 'list']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const line = 'keyward: This\u{fffd}[2J lacks it. (scope_missing, request req_9)\n';
    expect(err).toBe(line);
    const docs = 'https://keys.example.com/docs/errors/scope_missing';
    reply = () => ({ status: 403, body: { ...body, docs } });
    expect((await run(['keys', 'list'])).err).toBe(`${line}See: ${docs}\n`);
  });

  it.each([
    [
      'project_required',
      'Set projectId to choose a project.',
      /--project \(`npx keyward projects list/,
    ],
    [
      'invalid_body',
      'customMetaData must be an object.',
      /^keyward: --metadata must be an object\./,
    ],
    [
      'invalid_body',
      'permissions: "a b" is not a permission.',
      /^keyward: --permission: "a b" is not a permission\./,
    ],
    ['invalid_body', 'allowedIPs: "x" is not an IP address.', /^keyward: --allow-ip: "x"/],
    ['invalid_body', 'limits must be a list.', /^keyward: --limit must be a list\./],
    ['plan_not_found', 'planId names no plan.', /^keyward: --plan names no plan\./],
  ])('%s names options instead of API fields', async (code, message, line) => {
    reply = () => ({ status: 400, body: { message, code } });
    const { err } = await run(['keys', 'create', '--name', 'x']);
    expect(err).toMatch(line);
    expect(err).not.toMatch(/projectId|customMetaData|permissions|allowedIPs|limits|planId/);
  });

  it('keys validate: 0 valid, 1 rejected, and an error if the request itself is rejected', async () => {
    reply = () => ({
      headers: { 'ratelimit-remaining': '4' },
      body: { id: 'key_1', name: 'Ada', env: 'live' },
    });
    expect(await run(['keys', 'validate', 'v'])).toEqual({
      code: 0,
      out: 'valid  Ada (key_1, live), 4 requests left in this window\n',
      err: '',
    });
    reply = () => ({ status: 404, body: { message: 'Invalid client key', code: 'key_revoked' } });
    expect(await run(['keys', 'validate', 'v'])).toEqual({
      code: 1,
      out: 'refused  Invalid client key (key_revoked)\n',
      err: '',
    });
    reply = () => ({ status: 401, body: { message: 'Unknown.', code: 'credential_invalid' } });
    expect(await run(['keys', 'validate', 'v'])).toEqual({
      code: 1,
      out: '',
      err: 'keyward: Unknown. (credential_invalid)\n',
    });
  });

  it('keys validate names the missing permissions', async () => {
    const message = 'This key lacks a permission that the request needs.';
    const body = { message, code: 'permission_denied', missing: ['a.read', 'b\x1b[2J'] };
    reply = () => ({ status: 403, body });
    expect(await run(['keys', 'validate', 'v', '--permission', 'a.read'])).toEqual({
      code: 1,
      out: `refused  ${message} (permission_denied, missing: a.read, b\u{fffd}[2J)\n`,
      err: '',
    });
    reply = () => ({ status: 403, body: { message: 'No.', code: 'ip_denied' } });
    expect((await run(['keys', 'validate', 'v'])).out).toBe('refused  No. (ip_denied)\n');
  });

  it('keys explain prints the result of each check, and the verdict', async () => {
    const checks = [
      { check: 'key active', code: 'key_revoked', passed: true },
      { check: 'permissions', code: 'permission_denied', passed: false },
      { check: 'later', code: 'later_code', passed: null },
    ];
    const body = { valid: false, code: 'permission_denied', missing: ['a.write'], checks };
    reply = () => ({ body });
    expect(await run(['keys', 'explain', 'key_1'])).toEqual({
      code: 1,
      out: 'passed   key active\nfailed   permissions (permission_denied, missing: a.write)\nskipped  later\n\nrefused  permission_denied\n',
      err: '',
    });
    const json = await run(['keys', 'explain', 'key_1', '--json']);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toEqual(body);
    const limit = { name: 'day', level: 'plan', mode: 'shadow', rateLimit: 9, rateLimitTtl: 60 };
    const limits = [{ ...limit, remaining: 1, resetAt: '2030-01-01', exceeded: true }];
    const credits = { remaining: 5, level: 'key', nextRefillAt: null, exceeded: false };
    reply = () => ({ body: { ...body, checks: [], limits, credits } });
    expect((await run(['keys', 'explain', 'key_1'])).out).toContain(
      'limit day: 1 of 9 left in 60 s (of the plan, in shadow mode, exceeded, resets at 2030-01-01)\ncredits: 5 left (of the key)\n',
    );
    reply = () => ({ body: { ...body, valid: true, code: 'valid', missing: [], checks: [] } });
    expect(await run(['keys', 'explain', 'key_1'])).toMatchObject({ code: 0, out: 'valid\n' });
  });

  it('a server that is not Keyward is detected, and a redirect is not followed', async () => {
    reply = () => ({ body: '<html>' });
    expect((await run(['projects', 'list'])).err).toContain('Is it Keyward?');
    reply = () => ({ status: 302, headers: { location: '/elsewhere' }, body: '' });
    expect(await run(['projects', 'list'])).toMatchObject({ code: 1, out: '' });
    expect(seen.map(({ url }) => url)).not.toContain('/elsewhere');
  });

  it('a missing server is reported in one line', async () => {
    const gone = createServer();
    await new Promise<void>((done) => gone.listen(0, '127.0.0.1', done));
    const address = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
    await new Promise((done) => gone.close(done));
    const { code, err } = await run(['keys', 'list', '--url', address]);
    expect(code).toBe(1);
    expect(err).toBe(
      `keyward: no server is listening at ${address}. Start it with \`npx keyward serve\`, or check --url and KEYWARD_URL.\n`,
    );
  });
});

describe('a wrong command line', () => {
  it.each([
    [['keys', 'lst'], 'did you mean: npx keyward keys list?'],
    [['keys', 'show'], 'did you mean: npx keyward keys get?'],
    [['webhooks', 'rm', 'whk_x'], 'did you mean: npx keyward webhooks delete?'],
    [['srve'], 'did you mean: npx keyward serve?'],
    [['bogus'], 'there is no command "bogus"'],
    [['keys', 'create'], '--name is missing'],
    [['keys', 'create', '--nmae', 'x'], 'did you mean --name?'],
    [['keys', 'get'], 'KEY is missing'],
    [['keys', 'get', 'a', 'b'], 'one argument too many: "b"'],
    [['keys', 'list', '--active', 'maybe'], '--active takes yes or no'],
    [['keys', 'list', '--all', '--limit', '5'], 'exclude each other'],
    [['keys', 'update', 'k'], 'nothing to change'],
    [['keys', 'update', 'k', '--clear', 'name'], '--clear takes'],
    [['projects', 'update', 'prj_1'], 'nothing to change'],
    [['plans', 'preview', '--customer', 'acme'], 'without them, nothing is replayed'],
    [['keys', 'list', '--url', 'ftp://x'], 'is not an http or https address'],
  ])('%j', async (argv, hint) => {
    const { code, out, err } = await run(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(hint);
    expect(err).toMatch(/See: npx keyward.* --help\n$/);
    expect(seen).toEqual([]);
  });
});

describe('people', () => {
  it.each([
    [['remove', 'usr_1'], 'DELETE', '/users/usr_1/roles'],
    [['remove', 'usr_1', '--project', 'prj_1'], 'DELETE', '/users/usr_1/roles?projectId=prj_1'],
    [['list', '--limit', '1', '--project', 'prj_1'], 'GET', '/teammates?projectId=prj_1&limit=1'],
  ])('%j', async (argv, method, path) => {
    reply = () => ({ body: method === 'GET' ? [] : true });
    expect(await run(['people', ...argv])).toMatchObject({ code: 0 });
    expect(seen).toMatchObject([{ method, url: path }]);
  });
});

describe('help', () => {
  it('lists every command and explains how to replace a lost access key', async () => {
    const { out, code } = await run(['help']);
    expect(code).toBe(0);
    for (const words of ['serve', 'keys validate', 'access-keys rotate', 'restore', 'openapi'])
      expect(out).toContain(`  ${words}`);
    expect(out).toContain('Lost your access key?');
    expect(await run([])).toEqual({ code: 0, out, err: '' });
    expect(await run(['--help'])).toEqual({ code: 0, out, err: '' });
  });

  it('of one command shows its options and examples, with --help or help', async () => {
    const { out, code } = await run(['keys', 'rotate', '--help']);
    expect(code).toBe(0);
    expect(out).toContain('Usage: npx keyward keys rotate KEY [OPTIONS]');
    expect(out).toContain('--grace TIME');
    expect(out).toContain('npx keyward keys rotate key_… --grace 24h');
    expect((await run(['help', 'keys', 'rotate'])).out).toBe(out);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('of serve lists the settings', async () => {
    const { out } = await run(['serve', '--help']);
    expect(out).toContain('--port VALUE');
    expect(out).toContain('KEYWARD_DATA_DIR');
  });
});
