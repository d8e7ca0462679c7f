import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages that the modules of a bundle belong to, in the form in which Vite lists those of the dashboard. */
export function bundledPackages(moduleIds) {
  const folders = moduleIds
    .map((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0])
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)].toSorted().map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const { name, version, license } = manifest;
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
    return { name, version, identifier: license, text };
  });
}
