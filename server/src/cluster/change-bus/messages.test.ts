import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Change } from './change-bus.ts';
import { decodeChanges, encodeChanges } from './messages.ts';

const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,60}$/);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant('api-key' as const),
    id: word,
    hash: word,
    accountId: word,
    projectId: word,
  }),
  fc.record({ kind: fc.constant('access-key' as const), id: word, hash: word }),
  fc.record({ kind: fc.constant('project' as const), id: word, accountId: word }),
  fc.record({ kind: fc.constant('credits' as const), pool: word }),
  fc.record({
    kind: fc.constant('plan' as const),
    id: word,
    accountId: word,
    projectId: word,
  }),
  fc.record({
    kind: fc.constant('customer' as const),
    group: word,
    accountId: word,
    projectId: word,
  }),
  fc.constant({ kind: 'everything' as const }),
);

it('decodes the same changes in the same order, from messages within the size limit of PostgreSQL', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 500 }), (changes) => {
      const messages = encodeChanges(changes);
      for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThan(8_000);
      expect(messages.flatMap(decodeChanges)).toEqual(changes);
    }),
  );
});

it('sends "everything" when there are too many changes', () => {
  const many = Array.from({ length: 5_000 }, (_, n) => ({
    kind: 'api-key' as const,
    id: `key_${String(n).padStart(26, '0')}`,
    hash: 'h'.repeat(43),
    accountId: `acc_${'0'.repeat(26)}`,
    projectId: `prj_${'0'.repeat(26)}`,
  }));
  expect(encodeChanges(many).flatMap(decodeChanges)).toEqual([{ kind: 'everything' }]);
  expect(encodeChanges(many.slice(0, 1_200)).flatMap(decodeChanges)).toEqual(many.slice(0, 1_200));
});

it('decodes unknown messages as "everything"', () => {
  for (const message of [
    '',
    '*',
    'api-key',
    'api-key key_1',
    'project',
    'project prj_1 acc_1 more',
    'access-key ak_1 hash more',
    'unknown x y',
  ])
    expect(decodeChanges(message)).toEqual([{ kind: 'everything' }]);
  expect(decodeChanges('project prj_1 acc_1\nunknown x')).toEqual([{ kind: 'everything' }]);
  fc.assert(
    fc.property(fc.string(), (message) => {
      expect(decodeChanges(message).length).toBeGreaterThan(0);
    }),
  );
});
