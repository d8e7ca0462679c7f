import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalKeyward } from 'keyward/local';

/**
 * Validates one key as fast as possible, or with a pause after each success. Starts at the first
 * input on stdin. Runs for the given number of seconds and in at least two windows, or until
 * REFUSALS_AT_END validations in a row were refused. Prints the validations admitted per window (by
 * the second in which the window ends), how many were admitted after their window had ended, and how
 * many were refused.
 */
const [url = '', accessKey = '', key = '', seconds = '', pauseMs = ''] = process.argv.slice(2);
/**
 * Takes more than a second (four at a time, each with a pause of 5 ms), so that other clients can return what
 * they do not use.
 */
const REFUSALS_AT_END = 1_000;
const CONCURRENCY = 4;

const local = new LocalKeyward({ url, accessKey, reportEveryMs: 200, timeoutMs: 240_000 });
await local.ready;
process.stdout.write('ready\n');
await once(process.stdin, 'data');

const endsAt = seconds === '' ? Number.POSITIVE_INFINITY : performance.now() + 1000 * +seconds;
const admitted: Record<number, number> = {};
let late = 0;
let limited = 0;
let refusedInARow = 0;
const isOver = (): boolean =>
  seconds === ''
    ? refusedInARow >= REFUSALS_AT_END
    : performance.now() > endsAt && Object.keys(admitted).length > 1;
await Promise.all(
  Array.from({ length: CONCURRENCY }, async () => {
    while (!isOver()) {
      const startedAt = Date.now();
      const { valid, rateLimit } = await local.validate(key);
      if (valid) {
        const { reset } = rateLimit!;
        admitted[reset] = (admitted[reset] ?? 0) + 1;
        if (startedAt > reset * 1000) late++;
        refusedInARow = 0;
        if (pauseMs !== '') await sleep(Number(pauseMs));
      } else {
        limited++;
        refusedInARow++;
        await sleep(5);
      }
    }
  }),
);
await local.close();
process.stdout.write(JSON.stringify({ admitted, late, limited }));
process.exit(0);
