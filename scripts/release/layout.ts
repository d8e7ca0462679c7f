import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { thirdPartyNotices } from './licenses.ts';
import { ROOT } from './root.ts';

/**
 * Files of the repository that an installation contains, at the same paths. The npm package, the single
 * executable and the container image contain these, and what `writeLayout` adds: manifests, README and
 * licence notices.
 */
const CONTENT = ['LICENSE', 'server/bin', 'server/dist', 'dashboard/dist', 'docs/dist'];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}

export const readManifest = (workspace: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'));

/** Copies the built server with its pages to `target`, as an npm package without dependencies. */
export function writeLayout(target: string): Manifest {
  rmSync(target, { recursive: true, force: true });
  for (const path of CONTENT) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(ROOT, path), join(target, path), { recursive: true });
  }
  cpSync(join(ROOT, 'server/README.md'), join(target, 'README.md'));
  writeFileSync(join(target, 'THIRD_PARTY_LICENSES.txt'), thirdPartyNotices());
  const {
    name,
    version,
    type,
    license,
    homepage,
    bugs,
    repository,
    description,
    keywords,
    engines,
  } = readManifest('server');
  const write = (path: string, manifest: object) =>
    writeFileSync(join(target, path), `${JSON.stringify(manifest, null, 2)}\n`);
  // The server reads its version from the package.json beside its code.
  write('server/package.json', { name, version, type, private: true });
  const manifest = {
    name,
    version,
    description,
    keywords,
    type,
    license,
    homepage,
    bugs,
    repository,
    bin: { keyward: 'server/bin/keyward.mjs' },
    engines,
    publishConfig: { access: 'public', provenance: true },
  };
  write('package.json', manifest);
  return manifest;
}

if (import.meta.main) writeLayout(resolve(process.argv[2] ?? 'build/layout'));
