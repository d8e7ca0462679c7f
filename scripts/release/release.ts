import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildBinary, packBinary } from './binary.ts';
import { readManifest } from './layout.ts';
import { bundledPackages, licenseProblems, nodeLicense } from './licenses.ts';
import { packPackages } from './packages.ts';
import { ROOT } from './root.ts';

/**
 * Makes all files of a release in build/release, and then pushes the tags of the release. The first tag
 * starts the release workflow, which makes the same files on every platform with `--dry-run`, signs and
 * publishes them.
 */
const WORKSPACES = ['.', 'rules', 'server', 'sdk', 'dashboard'];

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
}

/** The version of all packages, after a check that it can be released. */
export function releaseVersion(): string {
  const versions = new Set(WORKSPACES.map((workspace) => readManifest(workspace).version));
  if (versions.size > 1)
    throw new Error(`The packages have different versions: ${[...versions].join(', ')}.`);
  const [version = ''] = versions;
  const isDescribed = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').includes(`\n## ${version}`);
  if (!isDescribed)
    throw new Error(`CHANGELOG.md has no section "## ${version}". Describe the release there.`);
  return version;
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly 'bom-ref': string;
}

/**
 * The packages that the release contains, in the CycloneDX format. `--omit dev` would leave out those
 * that the tests use as well, so the list is reduced to what the bundles contain.
 */
export function componentList(): string {
  // Peer dependencies of development tools do not matter here.
  const options = ['--package-lock-only', '--legacy-peer-deps', '--sbom-format', 'cyclonedx'];
  const all = JSON.parse(run('npm', ['sbom', ...options]));
  const shipped = new Set(bundledPackages().map(({ name, version }) => `${name}@${version}`));
  const components = all.components.filter(({ name, version }: Component) =>
    shipped.has(`${name}@${version}`),
  );
  const refs = new Set(components.map((component: Component) => component['bom-ref']));
  const dependencies = all.dependencies
    .filter(({ ref }: { ref: string }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }: { ref: string; dependsOn?: string[] }) => ({
      ref,
      dependsOn: dependsOn.filter((each) => refs.has(each)),
    }));
  return `${JSON.stringify({ ...all, components, dependencies }, null, 2)}\n`;
}

/** `sha256sum --check SHA256SUMS` verifies the files. */
export function writeChecksums(folder: string): void {
  const lines = readdirSync(folder)
    .filter((name) => name !== 'SHA256SUMS')
    .toSorted()
    .map((name) => {
      const hash = createHash('sha256').update(readFileSync(join(folder, name)));
      return `${hash.digest('hex')}  ${name}\n`;
    });
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

export async function release(isDryRun: boolean, log: (line: string) => void): Promise<string> {
  const version = releaseVersion();
  const folder = join(ROOT, 'build/release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });

  if (!isDryRun && run('git', ['status', '--porcelain']) !== '')
    throw new Error('There are uncommitted changes. Commit or stash them first.');
  log(`Keyward ${version}: building`);
  run('npm', ['run', 'build']);

  log('checking licences');
  const problems = licenseProblems(bundledPackages());
  if (problems.length > 0)
    throw new Error(`Packages with a licence that is not allowed:\n${problems.join('\n')}`);

  log('packing the npm packages');
  packPackages(folder);

  log('building the executable');
  const name = `keyward-${version}-${process.platform}-${process.arch}`;
  const binary = buildBinary(join(folder, name));
  const started = run(binary, ['version']);
  if (!started.includes(version)) throw new Error(`${name} does not start: ${started}`);
  packBinary(binary, name, nodeLicense());
  rmSync(binary);

  log('writing the list of components and the checksums');
  writeFileSync(join(folder, `keyward-${version}.cdx.json`), componentList());
  writeChecksums(folder);

  // `go get` finds the versions of a module in a folder by tags that start with the folder.
  const tags = [`v${version}`, `clients/go/v${version}`];
  const signed = tags.map((tag) => ['tag', '--sign', tag, '--message', `Keyward ${version}`]);
  for (const args of [...signed, ['push', '--atomic', 'origin', ...tags]]) {
    log(`${isDryRun ? 'would run' : 'running'}: git ${args.join(' ')}`);
    if (!isDryRun) run('git', args);
  }
  return folder;
}

if (import.meta.main) {
  try {
    const folder = await release(process.argv.includes('--dry-run'), console.log);
    for (const name of readdirSync(folder)) console.log(`build/release/${name}`);
  } catch (error) {
    console.error(`release: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
