import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import {
  beginPage,
  currentRequest,
  type RequestContext,
  runInRequest,
} from '../../src/kernel/request-context.ts';
import {
  ReadCancelled,
  ReadsOverloaded,
  ReadTooSlow,
  StorageUnavailable,
} from '../../src/storage/errors.ts';
import type { Storage } from '../../src/storage/index.ts';
import type { ReadTimeouts } from '../../src/storage/reads/read-lanes.ts';

/** Long enough to start a reader on a busy machine. */
const DEADLINE_MS = 4_000;

/** How every engine bounds the reads of requests. */
export function readContract(
  open: (timeouts?: ReadTimeouts) => Promise<{ storage: Storage; dispose(): Promise<void> }>,
): void {
  describe('a read', () => {
    let storage: Storage;
    let close = async () => {};
    const start = async (timeouts?: ReadTimeouts) => {
      const opened = await open(timeouts);
      storage = opened.storage;
      close = async () => {
        storage.endReads();
        await opened.dispose();
      };
    };
    afterEach(() => close());

    const inRequest = <T>(
      reader: string,
      work: () => T,
      context: Partial<RequestContext> = {},
    ): T =>
      runInRequest(
        { reader, signal: new AbortController().signal, pageSince: undefined, ...context },
        work,
      );
    const quick = async (via: 'read' | 'background' = 'read') =>
      (await sql<{ one: number }>`select 1 as one`.execute(storage[via])).rows[0]?.one;
    /** Never ends, and returns nothing before it ends. */
    const endless = (via: 'read' | 'background' = 'read') =>
      sql`with recursive numbers (n) as (select 1 union all select (n + 1) % 1000 from numbers)
        select count(*) as counted from numbers`.execute(storage[via]);
    const failureOf = (read: Promise<unknown>) =>
      read.then(
        () => 'no error',
        (error) => error,
      );
    const running = () => storage.readStatus().request.running;

    it.each([
      ['a count', 'select count(*) from numbers'],
      ['a sort', 'select n from numbers order by n desc limit 1'],
      ['groups', 'select n, count(*) from numbers group by n'],
      ['a search without a hit', 'select n from numbers where n < 0'],
    ])(
      'of a request ends at its deadline, and leaves its reader to others: %s',
      async (_what, select) => {
        await start({ request: DEADLINE_MS, background: 240_000 });
        const text = `with recursive numbers (n) as (select 1 union all select (n + 1) % 1000 from numbers) ${select}`;
        const began = performance.now();
        const slow = inRequest('a', () => sql.raw(text).execute(storage.read));
        expect(await failureOf(slow)).toBeInstanceOf(ReadTooSlow);
        expect(performance.now() - began).toBeGreaterThan(DEADLINE_MS - 100);
        expect(storage.readStatus().request).toMatchObject({ running: 0, timedOut: 1 });
        await expect.poll(() => failureOf(inRequest('a', quick))).toBe('no error');
      },
    );

    it('of a page shares the deadline of the page', async () => {
      await start({ request: DEADLINE_MS, background: 240_000 });
      const pageSince = performance.now() - DEADLINE_MS;
      await inRequest(
        'a',
        async () => {
          expect(await failureOf(quick())).toBeInstanceOf(ReadTooSlow);
          beginPage();
          await expect.poll(() => failureOf(quick())).toBe('no error');
          expect(currentRequest()?.pageSince).toBeGreaterThan(pageSince + DEADLINE_MS - 1);
        },
        { pageSince },
      );
    });

    it('ends when the client of its request disconnects', async () => {
      await start();
      const client = new AbortController();
      const context = { signal: client.signal };
      const slow = failureOf(inRequest('a', endless, context));
      const waiting = failureOf(inRequest('a', endless, context));
      await expect.poll(running).toBe(1);
      client.abort();
      expect(await waiting).toBeInstanceOf(ReadCancelled);
      expect(await slow).toBeInstanceOf(ReadCancelled);
      expect(await failureOf(inRequest('a', quick, context))).toBeInstanceOf(ReadCancelled);
      expect(storage.readStatus().request).toMatchObject({ running: 0, waiting: 0, cancelled: 3 });
      expect(await inRequest('a', quick)).toBe(1);
    });

    it('of one account never waits for slow reads of another, and background work for neither', async () => {
      await start();
      const slow = Array.from({ length: 10 }, () => failureOf(inRequest('a', endless)));
      await expect.poll(running).toBe(1);
      expect(await inRequest('b', quick)).toBe(1);
      expect(await quick()).toBe(1);
      expect(await inRequest('b', () => quick('background'))).toBe(1);
      expect(storage.readStatus().request).toMatchObject({ running: 1, waiting: 9 });
      expect(storage.readStatus().request.oldestWaitMs).toBe(0);
      storage.endReads();
      for (const error of await Promise.all(slow)) expect(error).toBeInstanceOf(StorageUnavailable);
    });

    it('is refused if too many of its account wait, while other accounts are served', async () => {
      await start();
      const reads = Array.from({ length: 400 }, () => failureOf(inRequest('a', endless)));
      const first = await Promise.race(reads);
      expect(first).toBeInstanceOf(ReadsOverloaded);
      expect(await inRequest('b', quick)).toBe(1);
      const { waiting, refused } = storage.readStatus().request;
      expect({ waiting, refused }).toEqual({ waiting: 256, refused: 400 - 256 - 1 });
      storage.endReads();
      await Promise.all(reads);
      expect(storage.readStatus().request).toMatchObject({ running: 0, waiting: 0 });
    });

    it('of background work has a deadline of its own', async () => {
      await start({ request: 240_000, background: DEADLINE_MS });
      expect(await failureOf(endless())).toBeInstanceOf(ReadTooSlow);
      expect(await failureOf(inRequest('a', () => endless('background')))).toBeInstanceOf(
        ReadTooSlow,
      );
      expect(storage.readStatus()).toMatchObject({
        request: { timedOut: 0 },
        background: { timedOut: 2 },
      });
    });
  });
}
