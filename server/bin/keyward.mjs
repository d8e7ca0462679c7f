#!/usr/bin/env node
// Plain JavaScript, so that an old Node gets as far as saying that it is too old.
const OLDEST_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  console.error(
    `keyward: Node ${OLDEST_NODE} or newer is needed, this is ${process.version}. In the repository, \`npm start\` and \`npx keyward\` bring the right one.`,
  );
  process.exitCode = 1;
} else {
  await import('../src/main.ts');
}
