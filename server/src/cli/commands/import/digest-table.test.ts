import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { DigestTable } from './digest-table.ts';

const digestOf = (n: number): Buffer => hash('sha256', String(n), 'buffer');

it('finds the line of each digest, and of no other', () => {
  const table = new DigestTable();
  const lines = Array.from({ length: 20_000 }, (_, n) => n + 1);
  const digests = lines.map(digestOf);
  const foundEarly = digests.filter((digest, n) => {
    const found = table.find(digest);
    table.add(digest, lines[n]!);
    return found !== 0;
  });
  expect(foundEarly).toEqual([]);
  expect(table.size).toBe(lines.length);
  expect(digests.map((digest) => table.find(digest))).toEqual(lines);
  expect(lines.filter((n) => table.find(digestOf(n + lines.length)) !== 0)).toEqual([]);
});

it('tells digests apart that differ in one of the compared words', () => {
  const table = new DigestTable();
  const digest = digestOf(1);
  table.add(digest, 7);
  for (const byte of [0, 1, 4, 5, 8]) {
    const other = Buffer.from(digest);
    other[byte]! ^= 1;
    expect(table.find(other)).toBe(0);
  }
  expect(table.find(Buffer.from(digest))).toBe(7);
});

it('needs at most 30 bytes for each digest', () => {
  const table = new DigestTable();
  for (let n = 1; n <= 50_000; n++) table.add(digestOf(n), n);
  expect(table.bytes / table.size).toBeLessThan(30);
});
