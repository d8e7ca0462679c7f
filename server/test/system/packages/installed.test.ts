import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBinary, packBinary } from '../../../../scripts/release/binary.ts';
import {
  bundledPackages,
  isAllowed,
  licenseProblems,
} from '../../../../scripts/release/licenses.ts';
import { packPackages } from '../../../../scripts/release/packages.ts';
import {
  componentList,
  releaseVersion,
  writeChecksums,
} from '../../../../scripts/release/release.ts';
import { schemaVersion } from '../../../src/storage/migrate.ts';
import { startEdge } from '../../edge/child-edge.ts';
import { BOOTSTRAP_KEY, startServer } from '../../harness/child-server.ts';
import { freePort } from '../../harness/free-port.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyward-installed-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
const HOME = join(folder, 'home');

const run = async (command: string, args: readonly string[], env: Record<string, string> = {}) =>
  promisify(execFile)(command, args, { cwd: folder, env: { PATH, HOME, ...env } });

async function call(url: string, path: string, body?: object) {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': BOOTSTRAP_KEY, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** What a new user does first, with nothing but the installed files. */
async function useInstallation(executable: string, name: string) {
  const dataDir = join(folder, `${name}-data`);
  const options = { dataDir, executable, env: { PATH, HOME } };
  const server = await startServer(options);
  const created = await call(server.url, '/api-keys', { name: 'First' });
  expect(created.status).toBe(201);
  const { key, id } = JSON.parse(created.text);
  const validate = async (url: string) => (await call(url, '/api-keys/auth', { key })).status;
  expect(await validate(server.url)).toBe(200);
  const edge = await startEdge({
    upstreamUrl: server.url,
    accessKey: BOOTSTRAP_KEY,
    args: ['--listen', `127.0.0.1:${await freePort()}`, '--processes', '2'],
    executable,
    env: { PATH, HOME },
  });
  expect(await validate(edge.address)).toBe(200);
  expect(await edge.end('SIGTERM')).toEqual({ code: 0, signal: null });
  for (const path of ['/dashboard/', '/docs/', '/docs/api/scalar.js', '/docs/errors/rate_limited'])
    expect([path, (await call(server.url, path)).status]).toEqual([path, 200]);

  const cli = { KEYWARD_URL: server.url, KEYWARD_ACCESS_KEY: BOOTSTRAP_KEY };
  expect((await run(executable, ['keys', 'get', id], cli)).stdout).toContain('First');
  const agent = new Client({ name: 'test', version: '1' });
  const env = { PATH, HOME, ...cli };
  await agent.connect(new StdioClientTransport({ command: executable, args: ['mcp'], env }));
  const listed = await agent.callTool({ name: 'list_keys', arguments: {} });
  expect(JSON.stringify(listed)).toContain('First');
  await agent.close();
  const backup = join(folder, `${name}.db`);
  await run(executable, ['backup', backup], { KEYWARD_DATA_DIR: dataDir });
  await call(server.url, '/api-keys', { name: 'After the backup' });
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });

  await run(executable, ['restore', backup, '--force'], { KEYWARD_DATA_DIR: dataDir });
  makePreviousSchema(join(dataDir, 'keyward.db'));
  const again = await startServer(options);
  expect(schemaOf(join(dataDir, 'keyward.db'))).toBe(schemaVersion);
  expect(await validate(again.url)).toBe(200);
  expect(JSON.parse((await call(again.url, '/api-keys')).text)).toHaveLength(1);
  expect(await again.end('SIGTERM')).toEqual({ code: 0, signal: null });
  return dataDir;
}

const schemaOf = (file: string): number => {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('select max(version) as version from schema_version').get();
  database.close();
  return Number(row?.version);
};

const POOL_COLUMNS = ['grants', 'refill_anchor', 'expiry_notice_at'];
const BLOCK_COLUMNS = ['booked', 'day', 'spent_before'];

/** Undoes the migrations since the previous schema, with data. */
function makePreviousSchema(file: string): void {
  expect(schemaVersion, 'undo the new migration here too').toBe(34);
  const database = new DatabaseSync(file);
  for (const table of ['key_tags', 'customer_tags'])
    database.exec(`drop trigger ${table}_new;
      drop trigger ${table}_deleted;
      drop trigger ${table}_changed;
      drop table ${table}`);
  for (const counts of ['resource', 'unit'])
    for (const level of ['quarters', 'days', 'months'])
      database.exec(`drop table ${counts}_${level}`);
  database.exec(`drop table usage_parts;
    alter table projects drop column resources;
    delete from usage_watermarks where level in ('resource quarters', 'unit quarters')`);
  const added = { credit_pools: POOL_COLUMNS, credit_blocks: BLOCK_COLUMNS };
  const columns = Object.entries(added)
    .flatMap(([table, names]) => names.map((name) => `alter table ${table} drop column ${name}`))
    .join(';');
  database.exec(`drop trigger first_use_hour;
    drop trigger next_use_hour;
    drop table last_use_hours;
    drop index api_keys_by_expiry;
    drop index api_keys_revoked;
    drop index api_keys_limited;
    drop index credit_pools_low;
    drop index leaks_by_updated_at;
    drop index invitations_by_updated_at;
    drop index notice_mails_by_sent_at;
    drop index setup_links_by_expires_at;
    alter table projects drop column units;
    alter table customers drop column anchor;
    drop index credit_pools_expiry_notice;
    drop table credit_entries;
    ${columns};
    delete from schema_version where version > 22;
    delete from schema_compatibility where version > 22`);
  database.close();
  expect(schemaOf(file)).toBe(22);
}

describe('the npm packages', () => {
  let packages: ReturnType<typeof packPackages>;
  beforeAll(async () => {
    packages = packPackages(join(folder, 'packages'));
    const args = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', folder];
    await run('npm', [...args, packages.server, packages.sdk]);
  });

  it('need no other package', () => {
    const installed = readdirSync(join(folder, 'node_modules'));
    expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['@keyward', 'keyward']);
  });

  it('contain the notices of the packages that they contain', () => {
    const notices = readFileSync(
      join(folder, 'node_modules/@keyward/server/THIRD_PARTY_LICENSES.txt'),
      'utf8',
    );
    for (const name of [
      'fastify',
      'kysely',
      'better-auth',
      'react',
      '@scalar/fastify-api-reference',
    ])
      expect(notices).toContain(`\n${name} `);
  });

  it('run the server, its pages, its commands and an upgrade, and leave the data when uninstalled', async () => {
    const executable = join(folder, 'node_modules/.bin/keyward');
    const dataDir = await useInstallation(executable, 'package');
    await run('npm', ['uninstall', '--offline', '--prefix', folder, '@keyward/server']);
    expect(existsSync(executable)).toBe(false);
    expect(readdirSync(dataDir)).toContain('keyward.db');
  });
});

describe('the single executable', () => {
  it('runs the server, its pages, its commands and an upgrade', async () => {
    mkdirSync(HOME, { recursive: true });
    await useInstallation(buildBinary(join(folder, 'keyward')), 'executable');
  });

  it('is shipped with the licences of everything inside', async () => {
    // A small file: to compress a whole Node takes long.
    const binary = join(folder, 'small');
    writeFileSync(binary, '#!/bin/sh\necho started\n', { mode: 0o755 });
    const archive = packBinary(binary, 'keyward-1', 'Node’s licence');
    const unpacked = join(folder, 'unpacked');
    mkdirSync(unpacked);
    await run('tar', ['-xzf', archive, '-C', unpacked]);
    const read = (file: string) => readFileSync(join(unpacked, 'keyward-1', file), 'utf8');
    expect(read('LICENSE')).toContain('MIT License');
    expect(read('THIRD_PARTY_LICENSES.txt')).toContain('\nfastify ');
    expect(read('NODE_LICENSE.txt')).toBe('Node’s licence\n');
    const { stdout } = await run(join(unpacked, 'keyward-1/keyward'), []);
    expect(stdout).toBe('started\n');
  });

  it('runs where the home folder cannot be written', async () => {
    const { stdout } = await run(join(folder, 'keyward'), ['version'], { HOME: '/dev/null' });
    expect(stdout).toMatch(/\d+\.\d+\.\d+/);
  });
});

describe('a release', () => {
  it('has one version, which the changelog describes', () => {
    expect(releaseVersion()).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('lists its components, and the checksums of its files', async () => {
    const files = join(folder, 'release');
    mkdirSync(files);
    writeFileSync(join(files, 'components.json'), componentList());
    const { components } = JSON.parse(readFileSync(join(files, 'components.json'), 'utf8'));
    const names = components.map(({ name }: { name: string }) => name);
    expect(new Set(names)).toEqual(new Set(bundledPackages().map(({ name }) => name)));
    expect(names).toContain('fastify');
    writeChecksums(files);
    await promisify(execFile)('sha256sum', ['--check', 'SHA256SUMS'], { cwd: files });
  });
});

describe('licences', () => {
  it('of bundled packages allow shipping them', () => {
    expect(licenseProblems(bundledPackages())).toEqual([]);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0)', true],
    ['Apache-2.0 AND MIT', true],
    ['Apache-2.0 AND LGPL-3.0-or-later', false],
    ['AGPL-3.0', false],
    ['none', false],
  ])('%s is allowed: %s', (expression, expected) => {
    expect(isAllowed(expression)).toBe(expected);
  });
});
