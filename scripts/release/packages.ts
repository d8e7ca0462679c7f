import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeLayout } from './layout.ts';
import { ROOT } from './root.ts';

/** Packs the server and the SDK as `npm publish` would; returns the paths of both archives. */
export function packPackages(target: string): { readonly server: string; readonly sdk: string } {
  mkdirSync(target, { recursive: true });
  const layout = mkdtempSync(join(tmpdir(), 'keyward-package-'));
  try {
    writeLayout(layout);
    return { server: pack(layout, target), sdk: pack(join(ROOT, 'sdk'), target) };
  } finally {
    rmSync(layout, { recursive: true });
  }
}

function pack(folder: string, target: string): string {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', target];
  const printed = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const [{ filename }] = JSON.parse(printed);
  return join(target, filename);
}

if (import.meta.main)
  for (const file of Object.values(packPackages(join(ROOT, 'build')))) console.log(file);
