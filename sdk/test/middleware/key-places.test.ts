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

  it('is found without the blanks around it', () => {
    expect(find({ headers: { 'x-api-key': ' live_1 ' }, url: '/' })).toBe('live_1');
  });

  it('that is empty is none', () => {
    expect(find({ headers: { 'x-api-key': '' }, url: '/' })).toBeUndefined();
    expect(find({ headers: { 'x-api-key': '  ' }, url: '/' })).toBeUndefined();
    expect(find({ headers: {}, url: '/' })).toBeUndefined();
  });
});

it('an empty place does not hide the next', () => {
  const find = keyFinder(nodeReader, [HEADER, QUERY]);
  expect(find({ headers: { 'x-api-key': '' }, url: '/?key=live_2' })).toBe('live_2');
});
