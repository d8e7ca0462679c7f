import { fileURLToPath } from 'node:url';
import { LOAD_CORE, runChild } from '../children.ts';
import type { LoadGenerator, LoadResult } from './load.ts';

const SCRIPT = fileURLToPath(new URL('rotate-keys.lua', import.meta.url));

/** One thread of wrk, since the load has one core. */
export const wrk: LoadGenerator = {
  name: 'wrk',
  async drive({ port, keysFile, firstKey, accessKey, seconds, connections }) {
    const printed = await runChild(
      'wrk',
      [
        '--threads=1',
        `--connections=${connections}`,
        `--duration=${seconds}s`,
        '--latency',
        '--timeout=10s',
        `--script=${SCRIPT}`,
        `http://127.0.0.1:${port}`,
        '--',
        keysFile,
        accessKey,
        String(firstKey),
      ],
      { core: LOAD_CORE },
    );
    const line = printed.split('\n').findLast((text) => text.startsWith('{'));
    if (line === undefined) throw new Error(`wrk told nothing:\n${printed}`);
    return JSON.parse(line) as LoadResult;
  },
};
