import { setTimeout as sleep } from 'node:timers/promises';
import { LocalKeyward } from '../../../sdk/src/local/index.ts';

/** A process that validates one key as fast as it can, until it has been refused for a while. */
const [url = '', accessKey = '', key = ''] = process.argv.slice(2);
const REFUSED_FOR_MS = 1_500;
const AT_ONCE = 4;

const local = new LocalKeyward({ url, accessKey, reportEveryMs: 200 });
await local.ready;
let admitted = 0;
let limited = 0;
let admittedAt = performance.now();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (performance.now() - admittedAt < REFUSED_FOR_MS) {
      const result = await local.validate(key);
      if (result.valid) {
        admitted++;
        admittedAt = performance.now();
      } else {
        limited++;
        await sleep(5);
      }
    }
  }),
);
await local.close();
process.stdout.write(JSON.stringify({ admitted, limited }));
