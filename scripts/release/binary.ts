import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeLayout } from './layout.ts';
import { thirdPartyNotices } from './licenses.ts';
import { ROOT } from './root.ts';

/** Makes one executable file of Node and everything that the server needs; returns its path. */
export function buildBinary(output: string): string {
  const work = mkdtempSync(join(tmpdir(), 'keyward-binary-'));
  try {
    const layout = join(work, 'layout');
    writeLayout(layout);
    writeFileSync(join(layout, 'start.cjs'), "import('./server/bin/keyward.mjs');\n");
    writeFileSync(join(layout, 'reader.cjs'), "import('./server/dist/entries/reader-main.mjs');\n");
    const files = readdirSync(layout, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const assets = Object.fromEntries(files.map((file) => [file.slice(layout.length + 1), file]));
    const contentId = join(work, 'content-id');
    writeFileSync(contentId, hashOf(assets));
    const config = join(work, 'config.json');
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(
      config,
      JSON.stringify({
        main: join(ROOT, 'scripts/release/binary-entry.cjs'),
        output,
        disableExperimentalSEAWarning: true,
        assets: { ...assets, 'content-id': contentId },
      }),
    );
    execFileSync(process.execPath, ['--build-sea', config], { stdio: 'pipe' });
    // macOS refuses to start a file whose signature does not match. Node's signature no longer matches
    // this file.
    if (process.platform === 'darwin')
      execFileSync('codesign', ['--force', '--sign', '-', output], { stdio: 'pipe' });
    return output;
  } finally {
    rmSync(work, { recursive: true });
  }
}

function hashOf(assets: Record<string, string>): string {
  const hash = createHash('sha256');
  for (const [path, file] of Object.entries(assets))
    hash.update(`${path}\0`).update(readFileSync(file));
  return hash.digest('hex').slice(0, 32);
}

/** Packs an executable with the licences of everything inside, Node included; returns the path of the archive. */
export function packBinary(binary: string, name: string, nodeLicense: string): string {
  const work = mkdtempSync(join(tmpdir(), 'keyward-archive-'));
  try {
    const folder = join(work, name);
    mkdirSync(folder);
    cpSync(binary, join(folder, 'keyward'));
    cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
    writeFileSync(join(folder, 'THIRD_PARTY_LICENSES.txt'), thirdPartyNotices());
    writeFileSync(join(folder, 'NODE_LICENSE.txt'), `${nodeLicense}\n`);
    const archive = `${binary}.tar.gz`;
    execFileSync('tar', ['-czf', archive, '-C', work, name], { stdio: 'pipe' });
    return archive;
  } finally {
    rmSync(work, { recursive: true });
  }
}

if (import.meta.main)
  console.log(buildBinary(join(ROOT, 'build', `keyward-${process.platform}-${process.arch}`)));
