import { expect, it } from 'vitest';
import { createIds } from './ids.ts';
import { itemsOf, listing, type PageRequest, type RowRange } from './paging.ts';

const createId = createIds();
/** Newest first. */
const idsOf = (count: number) =>
  Array.from({ length: count }, () => createId('key'))
    .sort()
    .reverse();

/** A table whose rows have so many bytes of text, and the ranges that were read of it. */
function tableOf(count: number, bytes: number) {
  const rows = idsOf(count).map((id) => ({ id, text: 'x'.repeat(bytes) }));
  const ranges: RowRange<string>[] = [];
  const read = async (request: PageRequest) => {
    const fetch = async (range: RowRange<string>) => {
      ranges.push(range);
      const { after, offset, size } = range;
      const rest = rows.filter(({ id }) => after === null || id < after);
      return rest.slice(offset, offset + size);
    };
    return listing(request, 'key', fetch, ({ id }) => id);
  };
  return { rows, ranges, read };
}

const allOf = ({ rows }: ReturnType<typeof tableOf>) => rows.map(({ id }) => id);

it.each([undefined, 1, 19, 20, 21, 100, 1000])('limit %s: the rows of the page', async (limit) => {
  const table = tableOf(420, 100);
  const request = limit === undefined ? {} : { limit };
  expect(await itemsOf(await table.read(request))).toEqual(allOf(table).slice(0, limit));
});

it('reads more rows at a time if they are small, and few if they are large', async () => {
  const sizes = async (bytes: number) => {
    const table = tableOf(1_100, bytes);
    await itemsOf(await table.read({ limit: 1_000 }));
    return table.ranges.map(({ size }) => size);
  };
  expect(await sizes(500)).toEqual([20, 200, 200, 200, 200, 181]);
  const large = await sizes(20_000);
  expect(Math.max(...large.slice(1)) * 20_000).toBeLessThanOrEqual(150_000);
});

it('reads only what is taken from the list', async () => {
  const table = tableOf(1_100, 20_000);
  const { slices } = await table.read({ limit: 1_000 });
  for await (const slice of slices) if (slice.length < 20) break;
  expect(table.ranges).toHaveLength(2);
});

it('skips rows in the database, in the first read only', async () => {
  const table = tableOf(300, 100);
  const items = await itemsOf(await table.read({ offset: 120, limit: 100 }));
  expect(items).toEqual(allOf(table).slice(120, 220));
  expect(table.ranges.map(({ offset }) => offset)).toEqual([120, 0]);
});

it('continues after any row of a page', async () => {
  const table = tableOf(120, 100);
  for await (const slice of (await table.read({ limit: 100 })).slices)
    for (const n of [0, slice.length - 1]) {
      const rest = await itemsOf(await table.read({ cursor: slice.cursorAfter(n) }));
      const all = allOf(table);
      expect(rest).toEqual(all.slice(all.indexOf(slice.item(n)) + 1));
    }
});
