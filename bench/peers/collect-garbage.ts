import { writeFileSync } from 'node:fs';

/** Loaded into the server with `--import` and `--expose-gc`: SIGUSR2 collects garbage and writes the memory in use. */
process.on('SIGUSR2', () => {
  // The second collection frees what the finalisers of the first released.
  for (let n = 0; n < 2; n++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(process.env.MEMORY_FILE!, String(heapUsed + external));
});
