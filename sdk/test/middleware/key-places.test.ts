import { describe, expect, it } from 'vitest';
import { type KeyPlace, keyFinder } from '../../src/middleware/key-places.ts';
import { nodeReader } from '../../src/middleware/request-readers.ts';

const HEADER: KeyPlace = { header: 'X-Api-Key' };
const QUERY: KeyPlace = { query: 'key' };

describe.each<[string, KeyPlace[]]>([
  ['in one place', [HEADER]],
  ['in the first of several', [HEADER, 'bearer', QUERY]],
])('a key %s', (_, places) => {
  const find = keyFinder(nodeReader, places);

  it('is found without surrounding spaces', () => {
    expect(find({ headers: { 'x-api-key': ' live_1 ' }, url: '/' })).toBe('live_1');
  });

  it('is missing when it is empty', () => {
    expect(find({ headers: { 'x-api-key': '' }, url: '/' })).toBeUndefined();
    expect(find({ headers: { 'x-api-key': '  ' }, url: '/' })).toBeUndefined();
    expect(find({ headers: {}, url: '/' })).toBeUndefined();
  });
});

it('skips an empty place', () => {
  const find = keyFinder(nodeReader, [HEADER, QUERY]);
  expect(find({ headers: { 'x-api-key': '' }, url: '/?key=live_2' })).toBe('live_2');
});
