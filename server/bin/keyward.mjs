#!/usr/bin/env node
// Plain JavaScript, so that an old Node gets as far as saying that it is too old.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';

const OLDEST_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  console.error(
    `keyward: Node ${OLDEST_NODE} or newer is needed, this is ${process.version}. In the repository, \`npm start\` and \`npx keyward\` bring the right one.`,
  );
  process.exitCode = 1;
} else {
  // What was compiled once is loaded the next time, which halves the cost of a start. Beside the code:
  // whoever may write there may change the code anyway. In the environment, for our threads.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../.compile-cache', import.meta.url));
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  // When little is asked of a server, V8 takes its young generation back to the least size and throws away
  // the code of what was not called, inlined functions among it. What grows by as much as survives stayed
  // small for minutes, and what was compiled a second time came out slower: a validation cost up to a sixth more.
  v8.setFlagsFromString('--semi-space-growth-factor=16');
  v8.setFlagsFromString('--no-flush-bytecode');
  await import('../src/main.ts');
}
