import { globSync, rmSync } from 'node:fs';

/** 67 MB of C headers come with the package `node`. Nothing here compiles with them. */
for (const folder of globSync('node_modules/node/node_modules/node-*/include'))
  rmSync(folder, { recursive: true });
