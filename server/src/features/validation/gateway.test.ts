import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerJson, headerText } from './gateway.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 40 });
const PRINTABLE = /^[ -~]*$/;

describe('text in a header', () => {
  it('is printable ASCII without spaces at its ends, and decodes to the original text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const header = headerText(text);
        expect(header).toMatch(PRINTABLE);
        expect(header.trim()).toBe(header);
        expect(decodeURIComponent(header)).toBe(text.toWellFormed());
      }),
    );
  });

  it('is unchanged if it is plain, and percent-encoded where it is not', () => {
    expect(headerText('Acme & Sons, key 1')).toBe('Acme & Sons, key 1');
    expect(headerText('a\r\nx-admin: 1')).toBe('a%0D%0Ax-admin: 1');
    expect(headerText(' 100% ü ')).toBe('%20100%25 %C3%BC%20');
    expect(headerText('half \ud800')).toBe('half %EF%BF%BD');
  });
});

describe('JSON in a header', () => {
  it('is printable ASCII and the same JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, fc.oneof(anyText, fc.integer())), (value) => {
        const header = headerJson(value);
        expect(header).toMatch(PRINTABLE);
        expect(JSON.parse(header)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('contains no line break', () => {
    expect(headerJson({ a: 'b\r\nx-admin: 1\u2028\u007f' })).toBe(
      String.raw`{"a":"b\r\nx-admin: 1\u2028\u007f"}`,
    );
  });
});
