import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { writeLayout } from '../../../../scripts/release/layout.ts';
import { findOnPath } from '../../../../scripts/test-tools.ts';
import { BOOTSTRAP_KEY } from '../../harness/child-server.ts';
import { freePort } from '../../harness/free-port.ts';
import { createTestClient } from '../../harness/test-client.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const BUILDAH = process.env.BUILDAH_PATH ?? findOnPath(['buildah']);

/** What the image of Node for Debian contains, as far as the Dockerfile and Node need it. */
const PACKAGES = [
  'base-files',
  'libc6',
  'libstdc++6',
  'libgcc-s1',
  'libatomic1',
  'dash',
  'coreutils',
];
const LIBRARIES = ['libselinux1', 'libpcre2-8-0', 'libacl1', 'libattr1', 'libgmp10'];
const USER = { uid: 1000, gid: 1000 };

const folder = mkdtempSync(join(tmpdir(), 'keyward-image-'));
const path = (...parts: string[]) => join(folder, ...parts);
let server: ChildProcess | undefined;
afterAll(async () => {
  server?.kill('SIGKILL');
  if (BUILDAH) await buildah('rm', '--all').catch(() => {});
  await rm(folder, { recursive: true, force: true });
});

const run = promisify(execFile);
async function buildah(...args: readonly string[]): Promise<string> {
  const storage = ['--storage-driver', 'vfs', '--root', path('images'), '--runroot', path('run')];
  const { stdout } = await run(BUILDAH!, [...storage, ...args], { maxBuffer: 1 << 26 });
  return stdout.trim();
}

/** No registry is needed: the base is made of Debian's packages and the Node that runs this test. */
async function buildBase(): Promise<void> {
  mkdirSync(path('debs'));
  const download = () =>
    run('apt-get', ['download', ...PACKAGES, ...LIBRARIES], { cwd: path('debs') });
  // The package lists may be missing, or name versions that the mirror has replaced.
  await download().catch(async () => {
    await run('apt-get', ['update']);
    await download();
  });
  for (const file of readdirSync(path('debs')))
    await run('dpkg-deb', ['-x', path('debs', file), path('base')]);
  mkdirSync(path('base', 'usr', 'local', 'bin'), { recursive: true });
  copyFileSync(process.execPath, path('base', 'usr', 'local', 'bin', 'node'));
  writeFileSync(
    path('base', 'etc', 'passwd'),
    'root:x:0:0::/:/bin/sh\nnode:x:1000:1000::/:/bin/sh\n',
  );
  writeFileSync(path('base', 'etc', 'group'), 'root:x:0:\nnode:x:1000:\n');
  writeFileSync(
    path('base.Dockerfile'),
    'FROM scratch\nCOPY base /\nENV PATH=/usr/local/bin:/usr/bin:/bin\n',
  );
  await buildah(
    'build',
    '--isolation',
    'chroot',
    '-t',
    'base',
    '-f',
    path('base.Dockerfile'),
    folder,
  );
}

/** The first stage installs packages from a registry; here its result is what `npm ci` has built. */
async function buildImage(): Promise<void> {
  writeLayout(path('built', 'layout'));
  const base = ['--build-arg', 'NODE_IMAGE=localhost/base'];
  const stage = ['--build-context', `build=${path('built')}`];
  const options = ['--isolation', 'chroot', '--format', 'docker', ...base, ...stage];
  await buildah('build', ...options, '-t', 'keyward', '-f', join(ROOT, 'Dockerfile'), ROOT);
}

function mkdir(made: string): string {
  mkdirSync(made, { recursive: true });
  return made;
}

interface Image {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/** Runs a command as a container does: its own read-only root and `/tmp`, the user and the environment of the image. */
const CONTAINER = `
  mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount -t tmpfs tmpfs "$1/tmp" &&
  mount --bind "$2" "$1/data" && mount --rbind /dev "$1/dev" && root=$1 && shift 2 &&
  exec chroot --userspec=${USER.uid}:${USER.gid} "$root" env -i "$@"`;

function start(root: string, env: readonly string[], command: readonly string[]): ChildProcess {
  const namespace = ['--mount', '--propagation', 'private', 'sh', '-c', CONTAINER, 'container'];
  return spawn('unshare', [...namespace, root, path('data'), ...env, ...command]);
}

/** Throws if a tool is missing: an image that is not built proves nothing. */
function requireTools(): void {
  const missing = ['apt-get', 'dpkg-deb', 'unshare'].filter((name) => findOnPath([name]) === null);
  if (BUILDAH === null) missing.unshift('buildah');
  if (process.getuid?.() !== 0) missing.unshift('root');
  if (missing.length > 0)
    throw new Error(
      `The image is built from Debian's packages. That needs root, buildah (Debian: apt-get install buildah), apt-get, dpkg-deb and unshare; missing here: ${missing.join(', ')}.`,
    );
}

it('builds an image that serves as an unprivileged user and without writing to its root file system', async () => {
  requireTools();
  await buildBase();
  await buildImage();
  const inspected = JSON.parse(await buildah('inspect', '--type', 'image', 'keyward'));
  const image: Image = inspected.Docker.config;
  expect(image.User).toBe('node');
  await buildah('from', '--name', 'container', 'localhost/keyward');
  const root = await buildah('mount', 'container');
  chownSync(mkdir(path('data')), USER.uid, USER.gid);
  const port = await freePort();
  const env = [
    ...image.Env,
    `PORT=${port}`,
    'KEYWARD_METRICS_PORT=0',
    'KEYWARD_DRAIN_SECONDS=0',
    `KEYWARD_BOOTSTRAP_ACCESS_KEY=${BOOTSTRAP_KEY}`,
  ];
  server = start(root, env, [...image.Entrypoint, ...image.Cmd]);
  const log = Promise.all([text(server.stdout!), text(server.stderr!)]);
  const exited = once(server, 'exit');
  const isUp = async () => {
    if (server?.exitCode !== null) throw new Error((await log).join('\n'));
    return fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  while (!(await isUp())) await sleep(50);
  const client = createTestClient(`http://127.0.0.1:${port}`, BOOTSTRAP_KEY);
  const { status, body } = await client.post('/api-keys', { name: 'In a container' });
  expect(status).toBe(201);
  expect((await client.post(`/api-keys/auth/${body.key}`)).status).toBe(200);
  expect((await client.get('/dashboard/')).status).toBe(200);
  expect(readFileSync(join(root, 'keyward/LICENSE'), 'utf8')).toContain('MIT License');
  expect(readFileSync(join(root, 'keyward/THIRD_PARTY_LICENSES.txt'), 'utf8')).toContain('fastify');

  const check = start(root, env, image.Healthcheck.Test.slice(1));
  expect(await once(check, 'exit')).toEqual([0, null]);
  const write = start(root, env, ['sh', '-c', 'id -u; echo x > /keyward/x']);
  const [uid, error] = await Promise.all([text(write.stdout!), text(write.stderr!)]);
  expect(uid.trim()).toBe(String(USER.uid));
  expect(error).toContain('Read-only file system');

  server.kill('SIGTERM');
  expect(await exited, (await log).join('\n')).toEqual([0, null]);
  console.log(`image: ${await sizeOf(root)} MB beside Node`);
});

async function sizeOf(root: string): Promise<string> {
  const { stdout } = await run('du', ['-sm', join(root, 'keyward')]);
  return stdout.split('\t')[0]!;
}
