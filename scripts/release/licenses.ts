import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './root.ts';

/** Licences that allow shipping a package inside ours, if its notice is shipped too. */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0']);
for (const name of ['CC0-1.0', 'ISC', 'MIT', 'MIT-0', 'Unlicense']) ALLOWED.add(name);

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly identifier?: string | null;
  readonly text?: string | null;
}

/** The packages inside the bundles of the server, the dashboard and the documentation, as their builds recorded them. */
export function bundledPackages(): BundledPackage[] {
  const all = ['server', 'dashboard', 'docs'].flatMap((folder): BundledPackage[] =>
    JSON.parse(readFileSync(join(ROOT, folder, 'dist/licenses.json'), 'utf8')),
  );
  const byName = new Map(
    [...all, apiReference()].map((each) => [`${each.name}@${each.version}`, each]),
  );
  return [...byName.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

/** The API reference is copied beside the bundle, so the build does not record it. */
function apiReference(): BundledPackage {
  const folder = join(ROOT, 'node_modules/@scalar/fastify-api-reference');
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const text = readFileSync(join(folder, 'LICENSE'), 'utf8');
  return { name, version, identifier: license, text };
}

/** `A OR B` needs one allowed licence, `A AND B` both. */
export function isAllowed(expression: string): boolean {
  return expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((name) => ALLOWED.has(name.trim())));
}

export const licenseProblems = (packages: readonly BundledPackage[]): string[] =>
  packages
    .filter(({ identifier }) => !isAllowed(identifier ?? 'none'))
    .map(({ name, version, identifier }) => `${name}@${version}: ${identifier ?? 'no licence'}`);

export function thirdPartyNotices(): string {
  const notices = bundledPackages().map(({ name, version, identifier, text }) =>
    `${name} ${version} (${identifier})\n\n${text ?? ''}`.trim(),
  );
  return `Keyward contains the following packages.\n\n${notices.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** The licence of the Node inside the executable, from the package that this Node was installed from. */
export function nodeLicense(): string {
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${process.platform}-${process.arch}@${process.versions.node}`;
  const folder = mkdtempSync(join(tmpdir(), 'keyward-node-'));
  const run = (command: string, args: readonly string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    const archive = run('npm', ['pack', '--silent', name]);
    return run('tar', ['-xzOf', archive, 'package/LICENSE']);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
