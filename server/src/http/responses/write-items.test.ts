import { expect, it } from 'vitest';
import type { Slice } from '../../kernel/route.ts';
import { writeItems } from './write-items.ts';

const FORMAT = {
  ...{ open: '[', between: ',', close: ']', empty: '[]' },
  item: (item: unknown) => JSON.stringify(item),
};
const LIMITS = { itemsMax: 1_000, bytesMax: 100, isGone: () => false, takeTurn: () => {} };

/** A list whose cursors are the numbers of its items. */
async function* slicesOf(items: readonly unknown[], size: number): AsyncGenerator<Slice<unknown>> {
  for (let start = 0; start < items.length; start += size) {
    const part = items.slice(start, start + size);
    yield { length: part.length, item: (n) => part[n], cursorAfter: (n) => `${start + n}` };
  }
}

async function written(slices: AsyncIterable<Slice<unknown>>, limits: Partial<typeof LIMITS> = {}) {
  const text = writeItems(slices, FORMAT, { ...LIMITS, ...limits });
  let body = '';
  for (;;) {
    const { done, value } = await text.next();
    if (done) return { body, next: value };
    body += value;
  }
}

it.each([1, 2, 3, 100])('a page in slices of %i ends at its number of items', async (size) => {
  const page = (itemsMax: number) => written(slicesOf([0, 1, 2, 3], size), { itemsMax });
  expect(await page(2)).toEqual({ body: '[0,1]', next: '1' });
  expect(await page(4)).toEqual({ body: '[0,1,2,3]', next: null });
  expect(await written(slicesOf([], size))).toEqual({ body: '[]', next: null });
});

it.each([1, 2, 3, 100])(
  'a page in slices of %i ends before it has too many bytes',
  async (size) => {
    // 46 bytes in UTF-8, with quotes; in characters fewer.
    const item = 'é'.repeat(22);
    const three = [item, `${item}x`, item];
    expect(await written(slicesOf(three, size))).toEqual({
      body: JSON.stringify(three.slice(0, 2)),
      next: '1',
    });
    expect(await written(slicesOf([`${item}xxxxx`, ...three], size))).toMatchObject({ next: '1' });
    expect(await written(slicesOf([`${item}xxxxxx`, ...three], size))).toMatchObject({ next: '0' });
  },
);

it('an item that is larger than a page is on a page of its own', async () => {
  const large = 'x'.repeat(1_000);
  const items = [large, 1, 2];
  expect(await written(slicesOf(items, 2))).toEqual({ body: `["${large}"]`, next: '0' });
  expect(await written(slicesOf([1, large, 2], 2))).toEqual({ body: '[1]', next: '0' });
  expect(await written(slicesOf([large], 2))).toEqual({ body: `["${large}"]`, next: null });
});

it('nothing is read after the end of a page', async () => {
  let read = 0;
  async function* counted() {
    for await (const slice of slicesOf([...Array(100).keys()], 5)) {
      read++;
      yield slice;
    }
  }
  await written(counted(), { itemsMax: 9 });
  expect(read).toBe(2);
});

it('an item that takes long is written alone in its turn, and none after the client is gone', async () => {
  let now = 0;
  const turns: number[] = [];
  const made: number[] = [];
  const slow: Slice<unknown> = {
    length: 5,
    item(n) {
      made.push(n);
      // Longer than a turn.
      for (const start = performance.now(); performance.now() - start < 3; );
      return n;
    },
    cursorAfter: () => '',
  };
  async function* once() {
    yield slow;
  }
  const takeTurn = () => {
    turns.push(made.length);
  };
  expect(await written(once(), { takeTurn })).toMatchObject({ body: '[0,1,2,3,4]' });
  expect(turns).toEqual([0, 1, 2, 3, 4]);

  made.length = 0;
  const isGone = () => now++ === 2;
  await expect(written(once(), { isGone })).rejects.toThrow('disconnected');
  expect(made).toEqual([0, 1]);
});
