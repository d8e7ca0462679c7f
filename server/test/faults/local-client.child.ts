import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalKeyward } from '../../../sdk/src/local/index.ts';

/**
 * A process that validates one key as fast as it can, or with a pause after each, from the first word
 * it is told: for so many seconds, or until it has been refused for a while. Prints what it admitted in each window (by the
 * second that the window ends), how many of these when that was over, and what it refused.
 */
const [url = '', accessKey = '', key = '', seconds = '', pauseMs = ''] = process.argv.slice(2);
const REFUSED_FOR_MS = 1_500;
const AT_ONCE = 4;

const local = new LocalKeyward({ url, accessKey, reportEveryMs: 200 });
await local.ready;
process.stdout.write('ready\n');
await once(process.stdin, 'data');

const endsAt = seconds === '' ? Number.POSITIVE_INFINITY : performance.now() + 1000 * +seconds;
const admitted: Record<number, number> = {};
let late = 0;
let limited = 0;
let admittedAt = performance.now();
const isOver = (): boolean =>
  seconds === '' ? performance.now() - admittedAt > REFUSED_FOR_MS : performance.now() > endsAt;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (!isOver()) {
      const asked = Date.now();
      const { valid, rateLimit } = await local.validate(key);
      if (valid) {
        const { reset } = rateLimit!;
        admitted[reset] = (admitted[reset] ?? 0) + 1;
        if (asked > reset * 1000) late++;
        admittedAt = performance.now();
        if (pauseMs !== '') await sleep(Number(pauseMs));
      } else {
        limited++;
        await sleep(5);
      }
    }
  }),
);
await local.close();
process.stdout.write(JSON.stringify({ admitted, late, limited }));
process.exit(0);
