import { describe, expect, it } from 'vitest';
import { type KeySource, keyFinder } from '../../src/middleware/key-sources.ts';
import { nodeReader } from '../../src/middleware/request-readers.ts';

const HEADER: KeySource = { header: 'X-Api-Key' };
const QUERY: KeySource = { query: 'key' };

describe.each<[string, KeySource[]]>([
  ['in the only source', [HEADER]],
  ['in the first of several sources', [HEADER, 'bearer', QUERY]],
])('a key %s', (_, sources) => {
  const find = keyFinder(nodeReader, sources);

  it('is found without surrounding spaces', () => {
    expect(find({ headers: { 'x-api-key': ' live_1 ' }, url: '/' })).toBe('live_1');
  });

  it('is missing when it is empty', () => {
    expect(find({ headers: { 'x-api-key': '' }, url: '/' })).toBeUndefined();
    expect(find({ headers: { 'x-api-key': '  ' }, url: '/' })).toBeUndefined();
    expect(find({ headers: {}, url: '/' })).toBeUndefined();
  });
});

it('skips an empty source', () => {
  const find = keyFinder(nodeReader, [HEADER, QUERY]);
  expect(find({ headers: { 'x-api-key': '' }, url: '/?key=live_2' })).toBe('live_2');
});
