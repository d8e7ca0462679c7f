import { fileURLToPath } from 'node:url';
import { runChild } from '../children.ts';
import type { LoadGenerator, LoadResult } from './load.ts';

const SCRIPT = fileURLToPath(new URL('rotate-keys.lua', import.meta.url));

/** One thread of wrk, since the load has one core. */
export const wrk: LoadGenerator = {
  name: 'wrk',
  async drive({ port, keysFile, firstKey, keysPerCall, accessKey, seconds, connections, core }) {
    const printed = await runChild(
      'wrk',
      [
        '--threads=1',
        `--connections=${connections}`,
        `--duration=${Math.ceil(seconds)}s`,
        '--latency',
        '--timeout=10s',
        `--script=${SCRIPT}`,
        `http://127.0.0.1:${port}`,
        '--',
        keysFile,
        accessKey,
        String(firstKey),
        String(keysPerCall),
      ],
      // It takes whole seconds only; interrupted, it ends and tells what it measured until then.
      { core, interruptAfterMs: Number.isInteger(seconds) ? undefined : seconds * 1000 },
    );
    const line = printed.split('\n').findLast((text) => text.startsWith('{'));
    if (line === undefined) throw new Error(`wrk told nothing:\n${printed}`);
    return JSON.parse(line) as LoadResult;
  },
};
