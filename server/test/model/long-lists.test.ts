// 10 s of CPU: lists need more than 5,000 keys to be long.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filterOf } from '../../src/features/api-keys/list-filters.ts';
import { type KeyPosition, orderOf, positionsIn } from '../../src/features/api-keys/list-order.ts';
import { countKeys, listKeys } from '../../src/features/api-keys/list-store.ts';
import type { ListApiKeys } from '../../src/features/api-keys/schema.ts';
import type { KeyRow } from '../../src/features/api-keys/store.ts';
import { listingIn } from '../../src/kernel/paging.ts';
import { LOOKED_AT_MAX, type Storage } from '../../src/storage/index.ts';
import { openTestStorage } from '../harness/test-storage.ts';
import { createManyKeys, idOf, MANY, NOW, PROJECT, tenant } from './many-keys.ts';

let storage: Storage;
let dispose: () => Promise<void>;
beforeAll(async () => {
  ({ storage, dispose } = await openTestStorage());
  await createManyKeys(storage);
});
afterAll(() => dispose());

/** A page as a client gets it: its keys, and the cursor of the next. */
async function pageOf(query: ListApiKeys): Promise<{ keys: KeyRow[]; next: string | null }> {
  const order = orderOf(query);
  const filter = filterOf(query, NOW);
  const { slices } = await listingIn<KeyRow, KeyRow, KeyPosition>(
    positionsIn(order),
    query,
    (range) => listKeys(storage, tenant, { filter, order, range }),
    (row) => row,
  );
  const keys: KeyRow[] = [];
  let next: string | null = null;
  for await (const slice of slices) {
    for (let n = 0; n < slice.length; n++) {
      if (keys.length === query.limit) return { keys, next };
      keys.push(slice.item(n));
      next = slice.cursorAfter(n);
    }
    if (slice.endsPageAt !== undefined) return { keys, next: slice.endsPageAt };
  }
  return { keys, next: null };
}

async function pagesOf(query: ListApiKeys): Promise<KeyRow[][]> {
  const pages: KeyRow[][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await pageOf({ ...query, ...(cursor && { cursor }) });
    pages.push(page.keys);
    cursor = page.next;
  }
  return pages;
}

const HOUR = 3_600_000;

/** What a key is sorted by; null comes last. */
const VALUES: Record<NonNullable<ListApiKeys['sort']>, (key: KeyRow) => number | string | null> = {
  createdAt: () => 0,
  name: ({ name }) => name,
  expiresAt: ({ expires_at }) => expires_at,
  lastUsedAt: ({ last_used_at }) => last_used_at && last_used_at - (last_used_at % HOUR),
};

function isInOrder(a: KeyRow, b: KeyRow, sort: keyof typeof VALUES, ascending: boolean): boolean {
  const [one, other] = [VALUES[sort](a), VALUES[sort](b)];
  if (one !== other && (one === null || other === null)) return other === null;
  const [first, second] = one === other ? [a.id, b.id] : [one!, other!];
  return ascending ? first < second : first > second;
}

describe.each(Object.keys(VALUES) as (keyof typeof VALUES)[])('all keys by %s', (sort) => {
  it.each(['ascending', 'descending'] as const)('are listed once, %s', async (order) => {
    for (const query of [
      { sort, order },
      { sort, order, projectId: PROJECT },
    ]) {
      const keys = (await pagesOf({ ...query, limit: 1000 })).flat();
      expect(new Set(keys.map(({ id }) => id)).size).toBe(MANY);
      expect(keys).toHaveLength(MANY);
      const wrong = keys.findIndex(
        (key, n) => n > 0 && !isInOrder(keys[n - 1]!, key, sort, order === 'ascending'),
      );
      expect(wrong).toBe(-1);
    }
  });

  it('with an offset, begin at that key', async () => {
    const { keys } = await pageOf({ sort, order: 'ascending', limit: 1000 });
    const { keys: rest } = await pageOf({ sort, order: 'ascending', limit: 5, offset: 900 });
    expect(rest.map(({ id }) => id)).toEqual(keys.slice(900, 905).map(({ id }) => id));
  });
});

it('keys without the time of the order follow the others, also at an offset behind them', async () => {
  const { keys } = await pageOf({ sort: 'expiresAt', limit: 2, offset: MANY / 2 - 1 });
  expect(keys.map(({ expires_at }) => expires_at !== null)).toEqual([true, false]);
});

describe('a search', () => {
  it('ends its page before it has compared all keys, and finds the key on a later page', async () => {
    const id = idOf('key', 3);
    await storage.transaction((tx) =>
      tx.updateTable('api_keys').set({ name: 'Needle' }).where('id', '=', id).execute(),
    );
    const pages = await pagesOf({ search: 'needle', limit: 10 });
    expect(pages.length).toBeGreaterThan(1);
    expect(pages[0]).toEqual([]);
    expect(pages.flat().map(({ id }) => id)).toEqual([id]);
  });

  it('is counted up to the keys that are compared', async () => {
    const count = (query: ListApiKeys) => countKeys(storage, tenant, filterOf(query, NOW), 100_000);
    expect(await count({})).toEqual({ count: MANY, isExact: true });
    expect(await count({ search: 'man' })).toEqual({ count: LOOKED_AT_MAX, isExact: false });
    expect(await countKeys(storage, tenant, filterOf({ search: 'x' }, NOW), 1_000)).toEqual({
      count: 0,
      isExact: false,
    });
  });
});

describe('triggers', () => {
  const found = async (query: ListApiKeys) =>
    (await pageOf({ ...query, limit: 3 })).keys.map(({ id }) => id);
  const write = (query: ReturnType<typeof sql>) =>
    storage.transaction((tx) => query.execute(tx).then(() => {}));

  it('keep the keys of a tag', async () => {
    const id = idOf('key', 5);
    expect(await found({ tag: ['a"b'] })).toEqual([]);
    await write(sql`update api_keys set tags = ${'["a\\"b","x","x"]'} where id = ${id}`);
    expect(await found({ tag: ['a"b'] })).toEqual([id]);
    expect(await found({ tag: ['a"b', 'x'] })).toEqual([id]);
    await write(sql`update api_keys set tags = ${'["x"]'} where id = ${id}`);
    expect(await found({ tag: ['a"b'] })).toEqual([]);
    await write(sql`update api_keys set tags = null where id = ${id}`);
    expect(await found({ tag: ['x'] })).toEqual([]);
    await write(sql`update api_keys set tags = ${'["y"]'} where id = ${id}`);
    expect(await found({ tag: ['y'] })).toEqual([id]);
    await write(sql`delete from api_keys where id = ${id}`);
    expect(await found({ tag: ['y'] })).toEqual([]);
    const { rows } = await sql`select * from key_tags where owner_id = ${id}`.execute(storage.read);
    expect(rows).toEqual([]);
  });

  it('keep the hour of the last use', async () => {
    const { keys } = await pageOf({ sort: 'lastUsedAt', limit: 1 });
    const [latest] = keys;
    const unused = idOf('key', 7);
    await write(sql`insert into key_usage (key_seq, first_used_at, last_used_at)
      select seq, 1, ${NOW + HOUR} from api_keys where id = ${unused}`);
    expect(await found({ sort: 'lastUsedAt' })).toEqual([unused, latest!.id, expect.any(String)]);
    await write(sql`update key_usage set last_used_at = ${NOW + 3 * HOUR}
      where key_seq = (select seq from api_keys where id = ${latest!.id})`);
    expect((await found({ sort: 'lastUsedAt' })).slice(0, 2)).toEqual([latest!.id, unused]);
    await write(sql`delete from api_keys where id = ${latest!.id}`);
    expect((await found({ sort: 'lastUsedAt' }))[0]).toBe(unused);
  });
});
