import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyRow } from '../api-keys/index.ts';
import { PreparedKey } from './prepared-key.ts';
import { ResultSheet } from './result-sheet.ts';
import type { Verdict } from './validator.ts';

const NOW = Date.UTC(2030, 0, 1);
const ID = `key_${'0'.repeat(26)}`;

const keyOf = (name: string, rateLimit: number | null): PreparedKey =>
  new PreparedKey(
    {
      seq: 1,
      id: ID,
      account_id: 'acc',
      project_id: 'prj',
      name,
      mask: 'live_abc*********',
      custom_meta_data: '{}',
      creation_context: '{}',
      is_active: 1,
      rate_limit: rateLimit,
      rate_limit_ttl: rateLimit === null ? null : 60,
      limit_group: ID,
      allowed_domains: null,
      expires_at: null,
      first_used_at: null,
      created_at: NOW,
      updated_at: NOW,
    } as unknown as KeyRow,
    { id: 'prj', isActive: true, stale: false },
  );

const names = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constant('long '.repeat(5_000)),
);
const limits = fc.constantFrom(1, 9, 10, 99, 100, 1_000_000, 2_147_483_647, 2_147_483_648);
const takenOf = fc.record({
  consumed: fc.oneof(fc.nat(12), fc.nat(2_000_000_000)),
  waitMs: fc.oneof(
    fc.integer({ min: -5, max: 100_000 }),
    fc.constantFrom(0, 1, 10, 100, 1_000, 1_100, 31 * 86_400_000),
    fc.double({ min: 0, max: 60_000, noNaN: true }),
  ),
});

const verdicts: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constantFrom<Verdict>(
    { kind: 'refused', code: 'key_not_found' },
    { kind: 'refused', code: 'domain_denied' },
  ),
  names.map((name): Verdict => ({ kind: 'valid', key: keyOf(name, null), taken: null })),
  fc
    .tuple(names, limits, takenOf, fc.boolean())
    .map(([name, limit, { consumed, waitMs }, allowed]): Verdict => {
      const taken = { allowed, consumed, resetAt: NOW + waitMs };
      return { kind: allowed ? 'valid' : 'limited', key: keyOf(name, limit), taken };
    }),
);

const STATUS = { key_not_found: 404, domain_denied: 403 } as Record<string, number>;

/** The same, as JSON.stringify would have it. */
function expected(verdict: Verdict): unknown {
  if (verdict.kind === 'refused')
    return { valid: false, statusCode: STATUS[verdict.code], code: verdict.code };
  const { key, taken } = verdict;
  const counted = taken && Math.min(taken.consumed, key.rateLimit);
  const rateLimit = taken && {
    limit: key.rateLimit,
    remaining: key.rateLimit - counted!,
    consumed: counted,
    reset: Math.ceil(taken.resetAt / 1000),
    retryAfterSeconds: Math.max(0, taken.resetAt - NOW) / 1000,
  };
  return {
    ...(verdict.kind === 'valid'
      ? { valid: true, statusCode: 200, code: 'valid', record: JSON.parse(key.body) }
      : { valid: false, statusCode: 429, code: 'rate_limited' }),
    ...(rateLimit && { rateLimit }),
  };
}

describe('the sheet of a batch', () => {
  const sheet = new ResultSheet();

  it('says what JSON.stringify would, to the byte, whatever stood on it before', () => {
    fc.assert(
      fc.property(fc.array(verdicts, { maxLength: 30 }), (list) => {
        sheet.write(list, NOW);
        const text = JSON.stringify(list.map(expected));
        expect(sheet.text()).toBe(text);
        expect(sheet.length).toBe(Buffer.byteLength(text));
        expect(sheet.copy().toString()).toBe(text);
        for (const head of ['', 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(512), 'y'.repeat(513)])
          expect(sheet.behind(head).toString()).toBe(head + text);
      }),
    );
  });

  it('writes numbers of every length', () => {
    for (let power = 1; power <= 2 ** 31; power *= 10)
      for (const limit of [power, power - 1, power + 1, 7 * power].filter((n) => n > 0)) {
        const taken = { allowed: true, consumed: 0, resetAt: NOW };
        const verdict: Verdict = { kind: 'valid', key: keyOf('one', limit), taken };
        expect(sheet.write([verdict], NOW).text()).toBe(JSON.stringify([expected(verdict)]));
      }
  });

  it('leaves alone what is still being sent', () => {
    const [one, other]: Verdict[] = [
      { kind: 'valid', key: keyOf('one', null), taken: null },
      { kind: 'refused', code: 'key_not_found' },
    ];
    const sent = sheet.write([one!], NOW).behind('head');
    const before = sent.toString();
    sheet.leave();
    sheet.write([other!, one!], NOW);
    expect(sent.toString()).toBe(before);
  });
});
