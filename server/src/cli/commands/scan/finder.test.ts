import { describe, expect, it } from 'vitest';
import { generateValue } from '../../../kernel/secrets/key-values.ts';
import { findValues, VALUE_LENGTH_MAX } from './finder.ts';
import { type Finding, StreamScanner } from './stream-scanner.ts';

const found = (text: string): string[] => {
  const values: string[] = [];
  findValues(Buffer.from(text), (value) => values.push(value));
  return values;
};

/** Scans in chunks of the given size. */
function scanned(text: string | Buffer, chunkBytes: number): Finding[] {
  const findings: Finding[] = [];
  const scanner = new StreamScanner((finding) => findings.push(finding));
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += chunkBytes)
    scanner.push(Buffer.from(bytes.subarray(start, start + chunkBytes)));
  return findings;
}

const PREFIXES = ['live_', 'test_', 'live_access_', 'test_access_', 'account_access_'];
const OWN_PREFIXES = ['a_', 'acme_', 'acme_live_', 'a234567890123456_b23456789012345_'];

describe('findValues', () => {
  it.each([...PREFIXES, ...OWN_PREFIXES])('finds values that begin with %s', (prefix) => {
    const value = generateValue(prefix);
    for (const text of [value, `KEY=${value}`, `"${value}"`, `x ${value}.`, `${value}\n`])
      expect(found(text)).toEqual([value]);
  });

  it('finds values in the middle of a word', () => {
    const value = generateValue('live_');
    for (const text of [`MY_${value}`, `my_${value}`, `x${value}y`, `${value}_2`, `é${value}é`])
      expect(found(text)).toEqual([value]);
  });

  it('finds values that follow one another', () => {
    const values = Array.from({ length: 20 }, () => generateValue('live_'));
    expect(found(values.join(' '))).toEqual(values);
    expect(found(values.join(','))).toEqual(values);
  });

  it('finds nothing with a wrong checksum, length or alphabet', () => {
    const value = generateValue('live_');
    const last = value.endsWith('0') ? '1' : '0';
    const texts = [
      value.slice(0, -1) + last,
      value.slice(0, -1),
      value.slice(5),
      value.replace('_', '-'),
      `${value.slice(0, 20)} ${value.slice(20)}`,
      value.toUpperCase(),
      'live_',
      '',
    ];
    for (const text of texts) expect(found(text)).toEqual([]);
  });

  it('finds a value wherever it is among words of any length', () => {
    const value = generateValue('acme_');
    for (let length = 0; length < 120; length++)
      for (const filler of ['a'.repeat(length), `${'b'.repeat(length)} `, ' '.repeat(length)])
        expect(found(`${filler}-${value}-${filler}`)).toEqual([value]);
  });
});

describe('StreamScanner', () => {
  const values = [generateValue('live_'), generateValue('acme_live_'), generateValue('test_')];
  const text = `first ${values[0]}\nsecond\n\n  ${values[1]} ${values[2]}\nend`;
  const expected = [
    { value: values[0], line: 1, column: 7 },
    { value: values[1], line: 4, column: 3 },
    { value: values[2], line: 4, column: 4 + values[1]!.length },
  ];

  it('finds each value once, with its line and column, however the text is cut', () => {
    for (let size = 1; size <= text.length; size++) expect(scanned(text, size)).toEqual(expected);
  });

  it('finds the longest possible value, wherever two or three chunks meet in it', () => {
    const longest = generateValue('a234567890123456_b23456789012345_');
    expect(longest).toHaveLength(VALUE_LENGTH_MAX);
    const before = `${'word '.repeat(40)}\n`;
    const whole = Buffer.from(`${before}${longest}${' word'.repeat(40)}`);
    const found = [{ value: longest, line: 2, column: 1 }];
    for (let first = 0; first <= VALUE_LENGTH_MAX; first++)
      for (const next of [0, 1, 2, 48, 49, 80, 81, 82]) {
        const cuts = [0, before.length + first, before.length + first + next, whole.length];
        const findings: Finding[] = [];
        const scanner = new StreamScanner((finding) => findings.push(finding));
        cuts.slice(1).forEach((end, n) => {
          scanner.push(whole.subarray(cuts[n], end));
        });
        expect([first, next, findings]).toEqual([first, next, found]);
      }
  });

  it('ignores binary contents', () => {
    const binary = Buffer.concat([Buffer.from([0x7f, 0x45, 0]), Buffer.from(text)]);
    for (const size of [1, 2, 7, 1_000]) expect(scanned(binary, size)).toEqual([]);
    const late = Buffer.concat([Buffer.from(`${text}${'.'.repeat(8_000)}`), Buffer.from([0])]);
    expect(scanned(late, 1_000)).toEqual(expected);
  });
});
