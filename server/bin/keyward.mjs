#!/usr/bin/env node
// Plain JavaScript, so that an old Node gets as far as saying that it is too old.
import { existsSync, readdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST_NODE = 24;
const SERVER = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(SERVER, 'src');
/** Whose files are part of the build; only the repository has all of them. */
const SOURCES = [SOURCE, join(SERVER, '../sdk/src'), join(SERVER, '../rules/src')];
const BUILT = join(SERVER, 'dist/entries/main.mjs');

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  console.error(
    `keyward: Node ${OLDEST_NODE} or newer is needed, this is ${process.version}. In the repository, \`npm start\` and \`npx keyward\` use the right version; elsewhere, \`npm install node@26\` adds it to a project.`,
  );
  // Not 1: for `keyward scan`, exit code 1 means that something was found.
  process.exitCode = 2;
} else {
  // The compile cache halves the CPU time of a start. It lies beside the code, since anybody who can write
  // there can change the code anyway, and is set in the environment so that storage threads use it too.
  process.env.NODE_COMPILE_CACHE ??= join(SERVER, '.compile-cache');
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import(pathToFileURL(isBuildCurrent() ? BUILT : join(SOURCE, 'main.ts')).href);
}

/** False after an edit in the repository: Node then runs the sources as they are. */
function isBuildCurrent() {
  if (!existsSync(BUILT)) return false;
  const builtAt = statSync(BUILT).mtimeMs;
  return SOURCES.filter(existsSync).every((folder) =>
    readdirSync(folder, { recursive: true }).every(
      (file) =>
        !file.endsWith('.ts') ||
        file.endsWith('.test.ts') ||
        statSync(join(folder, file)).mtimeMs <= builtAt,
    ),
  );
}
