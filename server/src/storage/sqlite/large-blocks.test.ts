import { expect, it } from 'vitest';
import { largeBlocksOf } from './large-blocks.ts';

it('an answer takes the memory of its large values along, each once, and nothing else', () => {
  const large = new Uint8Array(64 << 10);
  const other = new Uint8Array(64 << 10);
  const rows = [
    [1, large, 'text'],
    [2, new Uint8Array(32), null],
    [3, other, large],
  ];
  const blocks = largeBlocksOf([{}, { rows }, { rows: [] }]);
  expect(blocks).toHaveLength(2);
  expect(blocks[0]).toBe(large.buffer);
  expect(blocks[1]).toBe(other.buffer);
  expect(largeBlocksOf([{ rows: [[1, 'text']] }])).toEqual([]);
});
