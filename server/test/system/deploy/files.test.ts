import { execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { writeLayout } from '../../../../scripts/release/layout.ts';
import { findOnPath } from '../../../../scripts/test-tools.ts';
import { startServer } from '../../harness/child-server.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'keyward-deploy-'));
afterAll(() => rmSync(folder, { recursive: true }));

const DESCRIBED = [
  'compose.yaml',
  'Dockerfile',
  'deploy/keyward.service',
  'deploy/compose.env.example',
  'docs/guarantees.md',
  'docs/guides/docker.md',
  'docs/guides/from-one-machine-to-many.md',
  'docs/guides/high-availability.md',
  'docs/guides/kubernetes.md',
  'docs/guides/migrating.md',
  'docs/guides/security.md',
  'docs/guides/troubleshooting.md',
  'docs/reference/limits.md',
  'docs/scale.md',
];

it.each(DESCRIBED)('%s uses only settings that exist', (file) => {
  const settings = read('server/src/app/config.ts') + read('server/src/app/people-settings.ts');
  const named = new Set(read(file).match(/\bKEYWARD_[A-Z][A-Z_]*[A-Z]\b/g));
  expect([...named].filter((name) => !settings.includes(`'${name}'`))).toEqual([]);
});

interface Service {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
}

const parseYaml = (text: string): { services: Record<string, Service>; volumes: object } =>
  parse(text);

it('compose.yaml has three identical nodes and refers only to files and services that exist', () => {
  const { services, volumes } = parseYaml(read('compose.yaml'));
  expect(Object.keys(services)).toEqual([
    'node-1',
    'node-2',
    'node-3',
    'load-balancer',
    'postgres',
    'valkey',
  ]);
  expect(services['node-2']).toEqual(services['node-1']);
  expect(services['node-3']).toEqual(services['node-1']);
  const example = read('deploy/compose.env.example');
  for (const [, name] of read('compose.yaml').matchAll(/\$\{(\w+):\?/g))
    expect(example).toContain(`${name}=`);
  for (const { volumes: mounts = [], depends_on: needs = [] } of Object.values(services)) {
    for (const name of Array.isArray(needs) ? needs : Object.keys(needs))
      expect(services).toHaveProperty(name);
    for (const [source = ''] of mounts.map((mount) => mount.split(':')))
      if (source.startsWith('./')) expect(existsSync(join(ROOT, source)), source).toBe(true);
      else expect(volumes).toHaveProperty(source);
  }
});

it('the load balancer uses the addresses in compose.yaml', () => {
  const { environment = {} } = parseYaml(read('compose.yaml')).services['load-balancer']!;
  const named = read('deploy/haproxy.cfg').match(/(?<=\$\{)\w+(?=\})/g);
  expect(named?.toSorted()).toEqual(Object.keys(environment).toSorted());
});

it('the image contains every file that the server reads, and its health check works', async () => {
  const image = join(folder, 'keyward');
  expect(read('Dockerfile')).toContain('layout.ts /layout');
  writeLayout(image);
  const server = await startServer({
    dataDir: join(folder, 'data'),
    entry: entryOf(image),
  });
  const check = (port: string) =>
    promisify(execFile)(process.execPath, healthCheck().slice(1), { env: { PORT: port } });
  await check(new URL(server.url).port);
  for (const path of ['/docs/', '/docs/api/scalar.js', '/docs/errors/rate_limited', '/dashboard/'])
    expect([path, (await fetch(server.url + path)).status]).toEqual([path, 200]);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await expect(check(new URL(server.url).port)).rejects.toMatchObject({ code: 1 });
});

/** A module that runs the image's command like its entry point. */
function entryOf(image: string): string {
  const [, file = ''] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(read('Dockerfile'))![1]!) as string[];
  const command = JSON.parse(
    /^CMD (\[.*\])$/m.exec(read('Dockerfile').replaceAll(/^ {2}CMD.*$/gm, ''))![1]!,
  );
  const entry = join(folder, 'entry.mjs');
  const target = join(image, file.replace('/keyward/', ''));
  writeFileSync(
    entry,
    `process.argv.splice(1, Infinity, ${JSON.stringify(target)}, ...${JSON.stringify(command)});
     await import(${JSON.stringify(target)});`,
  );
  return entry;
}

const healthCheck = (): string[] => JSON.parse(/^ {2}CMD (\[.*\])$/m.exec(read('Dockerfile'))![1]!);

it('every path that the Dockerfile copies exists and is not in .dockerignore', () => {
  const allowed = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  for (const [, sources = ''] of read('Dockerfile').matchAll(/^COPY (?!--)(.*) \S+$/gm))
    for (const source of sources.split(' ')) {
      expect(globSync(source, { cwd: ROOT }), source).not.toEqual([]);
      expect(allowed.some((path) => source === path || source.startsWith(`${path}/`))).toBe(true);
    }
});

const WORKFLOWS = ['.github/workflows/test.yml', '.github/workflows/release.yml'];

it.each(WORKFLOWS)('%s names every action by its commit', (file) => {
  const used = [...read(file).matchAll(/uses: (?!\.\/)(.*)/g)].map(([, action = '']) => action);
  expect(used.length).toBeGreaterThan(2);
  for (const action of used)
    expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

const release = parse(read('.github/workflows/release.yml')).jobs;

/** Runs lines of a workflow; returns what they print. */
function runLines(lines: string, env: Record<string, string>): string {
  const script = join(folder, 'lines.sh');
  writeFileSync(script, lines);
  const { status, stdout, stderr } = spawnSync('bash', ['-e', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

it('the release workflow pushes the image that the chart installs, and the chart names its digest', () => {
  const { env, steps } = release.image;
  expect(parse(read('deploy/helm/keyward/values.yaml')).image.repository).toBe(env.IMAGE);
  const { run } = steps.find(({ id }: { id?: string }) => id === 'chart');
  const chart = join(folder, 'Chart.yaml');
  writeFileSync(chart, read('deploy/helm/keyward/Chart.yaml'));
  const untilHelm = run.slice(0, run.indexOf('helm package'));
  const digest = `sha256:${'a'.repeat(64)}`;
  runLines(untilHelm.replaceAll('deploy/helm/keyward/Chart.yaml', chart), {
    IMAGE: env.IMAGE,
    DIGEST: digest,
  });
  const { annotations } = parse(readFileSync(chart, 'utf8'));
  expect(annotations).toEqual({ 'keyward/image': `${env.IMAGE}@${digest}` });
});

it('the release workflow publishes the packages that are not published yet', () => {
  const bin = join(folder, 'bin');
  for (const path of [bin, join(folder, 'package')]) mkdirSync(path);
  const pack = (name: string, file: string) => {
    writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name, version: '2.0.0' }));
    runLines(`tar -czf ${file} package`, {});
  };
  pack('keyward', 'keyward-2.0.0.tgz');
  pack('@keyward/server', 'keyward-server-2.0.0.tgz');
  writeFileSync(
    join(bin, 'npm'),
    `#!/bin/sh
if [ "$1" = publish ]; then echo "$@"
elif [ "$2" = keyward@2.0.0 ]; then echo 2.0.0
else exit 1
fi`,
    { mode: 0o755 },
  );
  const { run } = release.publish.steps.find(
    ({ name }: { name?: string }) => name === 'Publish the npm packages',
  );
  const path = [bin, dirname(process.execPath), process.env.PATH].join(':');
  expect(runLines(run, { PATH: path }).trim().split('\n')).toEqual([
    'keyward@2.0.0 is published already',
    'publish --access public --provenance keyward-server-2.0.0.tgz',
  ]);
});

it('the systemd unit starts an existing file and passes systemd-analyze', () => {
  const unit = read('deploy/keyward.service');
  const [node = '', entry = '', command] = /^ExecStart=(.*)$/m.exec(unit)![1]!.split(' ');
  expect(node).toBe('/opt/keyward/node_modules/.bin/node');
  expect(existsSync(join(ROOT, entry))).toBe(true);
  expect(command).toBe('serve');
  const here = unit.replace(node, process.execPath).replaceAll('/opt/keyward', dirname(ROOT));
  expectVerified('keyward.service', here);
});

it('the unit of the edge in its guide passes too, and its user has another name than its group', () => {
  const unit = /```ini\n(.*?)```/s.exec(read('docs/guides/edge.md'))![1]!;
  expectVerified('keyward-edge.service', unit.replace('/usr/local/bin/keyward', process.execPath));
  // systemd refuses a dynamic user if there is a group of its name. Without User=, its name is that of the unit.
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1];
  expect(setting('User')).not.toBe(setting('Group'));
  expect(read('docs/guides/edge.md')).toContain(`groupadd --system ${setting('Group')}`);
});

function expectVerified(name: string, unit: string): void {
  const file = join(folder, name);
  writeFileSync(file, unit);
  const analyze = process.env.SYSTEMD_ANALYZE_PATH ?? findOnPath(['systemd-analyze'])!;
  const { status, stderr } = spawnSync(analyze, ['verify', file], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
}
