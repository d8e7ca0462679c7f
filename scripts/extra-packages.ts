import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runTool } from './run-tool.ts';

/**
 * Packages that only one command needs, for example Next.js (320 MB), are not installed by `npm ci` in the root.
 * They have a folder with its own lockfile, and the command installs them. They find what they share with
 * the repository, such as Vitest and React, in the root.
 */
export const PACKAGE_FOLDERS = {
  deploy: 'server/test/system/deploy',
  mutation: 'scripts/mutation',
  packages: 'server/test/system/packages',
} as const;
export type PackageFolder = keyof typeof PACKAGE_FOLDERS;

/** Runs `npm ci` in the folder, unless it has installed this lockfile already. */
export async function ensurePackages(name: PackageFolder): Promise<void> {
  const folder = PACKAGE_FOLDERS[name];
  const lockfile = readFileSync(join(ROOT, folder, 'package-lock.json'), 'utf8');
  const installed = join(ROOT, folder, 'node_modules', '.installed-lock.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lockfile) return;
  console.log(`installing the packages of ${folder}`);
  const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--prefix', folder];
  const { code } = await runTool('npm', args, { show: true });
  if (code !== 0)
    throw new Error(
      `npm could not install the packages of ${folder}; its error is above. Is the npm registry reachable?`,
    );
  writeFileSync(installed, lockfile);
}
