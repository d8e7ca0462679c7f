import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertBuilt } from '../../harness/built.ts';
import { runToEnd } from '../../harness/child.ts';
import type { TestApp } from '../../harness/test-app.ts';

export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const MODULES = join(ROOT, 'node_modules');
/** Packages of this folder: Next.js and the checks of the package. */
export const EXTRA_MODULES = join(import.meta.dirname, 'node_modules');
export const TSC = join(MODULES, '@typescript', 'native', 'bin', 'tsc');
export const TSC_6 = join(MODULES, 'typescript', 'bin', 'tsc6');
const LONG_CALLS = new URL('../../harness/long-calls.mjs', import.meta.url);

export interface PackedProject {
  readonly folder: string;
  /** The file that `npm publish` would upload. */
  readonly tarball: string;
  /** The paths in the tarball. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

/** An empty project with `keyward` installed from its tarball. */
export async function createPackedProject(): Promise<PackedProject> {
  assertBuilt('sdk', 'index.js');
  const home = await mkdtemp(join(tmpdir(), 'keyward-packed-'));
  const folder = join(home, 'project');
  await mkdir(folder);
  const packed = await npm(
    ['pack', '--json', '--ignore-scripts', '--pack-destination', home],
    join(ROOT, 'sdk'),
  );
  const [{ filename, files }] = JSON.parse(packed);
  const manifest = { name: 'empty', private: true, type: 'module' };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await npm(['install', '--offline', '--no-audit', '--no-fund', join(home, filename)], folder);
  return {
    folder,
    tarball: join(home, filename),
    files: files.map(({ path }: { path: string }) => path),
    remove: () => rm(home, { recursive: true, force: true }),
  };
}

/** Copies the examples, with the frameworks of this repository and `keyward` from the tarball. */
export async function addExamples({ folder }: PackedProject): Promise<void> {
  await cp(join(ROOT, 'examples'), join(folder, 'examples'), {
    recursive: true,
    filter: (path) => !/\/(dist|\.next|node_modules)$/.test(path),
  });
  const names = (await readdir(MODULES)).filter((name) => name !== 'keyward' && name[0] !== '.');
  for (const path of [...names.map((name) => join(MODULES, name)), join(EXTRA_MODULES, 'next')])
    await symlink(await realpath(path), join(folder, 'node_modules', basename(path)));
  // Turbopack follows links only below its root, and the frameworks are links to outside.
  const config = "export default { turbopack: { root: '/' } };\n";
  for (const name of ['next', 'portal-next'])
    await writeFile(join(folder, 'examples', name, 'next.config.mjs'), config);
}

/** Environment of an example's server. */
export const exampleEnv = ({ url, accessKey }: TestApp) => ({
  KEYWARD_URL: url,
  KEYWARD_ACCESS_KEY: accessKey,
  PORT: '0',
  NEXT_TELEMETRY_DISABLED: '1',
  NODE_ENV: undefined,
  NODE_OPTIONS: `--import=${LONG_CALLS}`,
});

const npm = (argv: string[], cwd: string) => runToEnd('npm', argv, cwd);
