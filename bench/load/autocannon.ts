import { fileURLToPath } from 'node:url';
import { runChild } from '../children.ts';
import type { LoadGenerator, LoadResult } from './load.ts';

const CHILD = fileURLToPath(new URL('autocannon-child.ts', import.meta.url));

/** In a process of its own, so that it has its core to itself. */
export const autocannon: LoadGenerator = {
  name: 'autocannon',
  async drive(request) {
    const args = [CHILD, JSON.stringify(request)];
    const printed = await runChild(process.execPath, args, { core: request.core });
    return JSON.parse(printed) as LoadResult;
  },
};
