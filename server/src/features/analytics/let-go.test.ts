import { expect, test } from 'vitest';
import { letGo } from './let-go.ts';

test('a block that is let go holds no memory, and may be let go again', () => {
  const block = new Uint32Array(1_000);
  const part = block.subarray(10, 20);
  letGo(part);
  letGo(block);
  expect([block.buffer.byteLength, part.length]).toEqual([0, 0]);
});
