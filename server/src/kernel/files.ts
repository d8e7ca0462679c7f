import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Folder of this package: this file, and the files of the build, are two levels below it. */
const PACKAGE = new URL('../../', import.meta.url);

const isBuilt = !import.meta.url.endsWith('.ts');

/** A file of the package that is not code, relative to the folder of the package. */
export const packageFile = (path: string): URL => new URL(path, PACKAGE);

export const packageVersion = (): string =>
  JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version;

/** The code of a worker thread, by its path below src; `build.mjs` lists it as an entry. */
export const threadEntry = (path: string): URL =>
  packageFile(isBuilt ? `dist/entries/${basename(path, '.ts')}.mjs` : `src/${path}`);
