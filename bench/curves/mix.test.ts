import { describe, expect, it } from 'vitest';
import { mix } from './mix.ts';

describe('a mix of keys', () => {
  it('takes nothing, everything, or an even share', () => {
    expect(mix(['a', 'b'], ['x'], 0, 4)).toEqual(['a', 'b', 'a', 'b']);
    expect(mix(['a'], ['x', 'y'], 1, 4)).toEqual(['x', 'y', 'x', 'y']);
    expect(mix(['a', 'b'], ['x', 'y'], 0.5, 6)).toEqual(['a', 'x', 'b', 'y', 'a', 'x']);
    expect(mix(['a'], ['x'], 0.25, 100).filter((key) => key === 'x')).toHaveLength(25);
  });
});
