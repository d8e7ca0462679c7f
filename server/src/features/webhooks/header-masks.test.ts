import { describe, expect, it } from 'vitest';
import { maskHeaders, unmaskHeaders } from './header-masks.ts';

describe('masks of header values', () => {
  it('show at most 4 characters and at most a quarter of the value', () => {
    const headers = { a: 'Bearer abc.def.ghi', b: 'acme', c: 'xy', d: '', e: '12345678' };
    expect(maskHeaders(headers)).toEqual({
      a: 'Bear*********',
      b: 'a*********',
      c: '*********',
      d: '*********',
      e: '12*********',
    });
  });

  it('are replaced by the stored value when they are sent back, in any case of the name', () => {
    const stored = { Authorization: 'Bearer abc.def.ghi', 'x-a': '1' };
    expect(unmaskHeaders(maskHeaders(stored), stored)).toEqual(stored);
    expect(unmaskHeaders({ authorization: 'Bear*********' }, stored)).toEqual({
      authorization: 'Bearer abc.def.ghi',
    });
    expect(unmaskHeaders({ 'x-a': '2', 'x-b': 'new' }, stored)).toEqual({
      'x-a': '2',
      'x-b': 'new',
    });
  });

  it.each([
    ['of another name', { 'x-b': 'Bear*********' }],
    ['of another value', { Authorization: 'Basi*********' }],
    ['of no stored value', { 'x-c': '*********' }],
  ])('are rejected when they are %s', (_, headers) => {
    expect(() => unmaskHeaders(headers, { Authorization: 'Bearer abc.def.ghi' })).toThrow(
      /masked value for .* Send the value itself/,
    );
  });
});
