import { expect, it } from 'vitest';
import { isSampled } from './tracing.ts';

const trace = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';

it.each([
  [`00-${trace}-01`, true],
  [`00-${trace}-03`, true],
  [`01-${trace}-09-later`, true],
  [`00-${trace}-00`, false],
  [`00-${trace}-02`, false],
  [`00-${trace}`, false],
  ['', false],
  [undefined, false],
])('reads from %j whether the caller records the trace: %s', (header, expected) => {
  expect(isSampled(header)).toBe(expected);
});
