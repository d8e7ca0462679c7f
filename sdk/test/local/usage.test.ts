import { expect, it } from 'vitest';
import type { ValidatedKey } from '../../src/generated/api-types.ts';
import { conditionsOf } from '../../src/local/conditions.ts';
import { Entry } from '../../src/local/entry.ts';
import { type Report, Usage } from '../../src/local/usage.ts';
import { refused } from '../../src/validation/outcome.ts';

const entryOf = (id: string): Entry => {
  const record = { id, allowedDomains: null, rateLimitConfigs: null } as ValidatedKey;
  return new Entry({ record, behindMs: 0, expiresInMs: null, lease: null }, 0, null);
};

async function reportedBy(count: (usage: Usage) => void): Promise<Report['counts']> {
  const sent: Report[] = [];
  const usage = new Usage(async (report) => {
    sent.push(report);
    return true;
  });
  count(usage);
  await usage.flush();
  await usage.flush();
  return sent.flatMap(({ counts }) => counts);
}

it('reports the cost of valid uses, unless each costs 1', async () => {
  const [plain, costly, checked] = [entryOf('key_1'), entryOf('key_2'), entryOf('key_3')];
  const counts = await reportedBy((usage) => {
    usage.count(plain, 'valid');
    usage.count(plain, 'valid');
    usage.count(costly, 'valid', 7);
    usage.count(costly, 'valid');
    usage.count(costly, 'rate_limited', 7);
    usage.count(checked, 'valid', 0);
  });
  expect(counts).toEqual([
    { keyId: 'key_1', outcome: 'valid', count: 2 },
    { keyId: 'key_2', outcome: 'valid', count: 2, cost: 8 },
    { keyId: 'key_2', outcome: 'rate_limited', count: 1 },
    { keyId: 'key_3', outcome: 'valid', count: 1, cost: 0 },
  ]);
});

it('splits what is more than the server accepts in one count', async () => {
  const entry = entryOf('key_1');
  const counts = await reportedBy((usage) => {
    usage.count(entry, 'valid');
    entry.valid = 2_500_001;
    entry.extraCost = 5_000_000_003;
  });
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(2_500_001);
  expect(counts.reduce((sum, { cost, count }) => sum + (cost ?? count), 0)).toBe(5_002_500_004);
  for (const { count, cost = 0 } of counts) {
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(1_000_000);
    expect(cost).toBeLessThanOrEqual(1_000_000_000);
  }
  expect(counts).toHaveLength(6);
});

it('reports samples of refusals: at most 100, and 10 of a key, with what explains them', async () => {
  const sent: Report[] = [];
  const usage = new Usage(async (report) => {
    sent.push(report);
    return true;
  });
  const first = entryOf('key_0');
  const denied = refused('permission_denied', null, { missing: ['a.b'] });
  const known = { clientIP: '192.0.2.7', originDomain: 'x'.repeat(300), cost: 7 };
  usage.refuse(first, denied, conditionsOf(known, known.cost));
  usage.refuse(
    first,
    refused('rate_limited', null),
    conditionsOf({ clientIP: 'not an address' }, 1),
  );
  const none = conditionsOf({}, 1);
  for (let n = 0; n < 50; n++) usage.refuse(first, refused('key_expired', null), none);
  for (let n = 1; n <= 200; n++)
    usage.refuse(entryOf(`key_${n}`), refused('ip_denied', null), none);
  await usage.flush();
  const refusals = sent.flatMap((report) => report.refusals ?? []);
  expect(refusals.slice(0, 3)).toEqual([
    {
      keyId: 'key_0',
      code: 'permission_denied',
      agoMs: expect.any(Number),
      clientIP: '192.0.2.7',
      origin: 'x'.repeat(255),
      missing: ['a.b'],
      cost: 7,
    },
    { keyId: 'key_0', code: 'rate_limited', agoMs: expect.any(Number), limit: 'default' },
    { keyId: 'key_0', code: 'key_expired', agoMs: expect.any(Number) },
  ]);
  expect(refusals).toHaveLength(100);
  expect(refusals.filter(({ keyId }) => keyId === 'key_0')).toHaveLength(10);
  const counted = sent.flatMap(({ counts }) => counts).reduce((sum, { count }) => sum + count, 0);
  expect(counted).toBe(252);

  sent.length = 0;
  usage.count(first, 'valid');
  await usage.flush();
  expect(sent[0]).not.toHaveProperty('refusals');
});

it('reports an origin as text that the server accepts', async () => {
  const sent: Report[] = [];
  const usage = new Usage(async (report) => {
    sent.push(report);
    return true;
  });
  for (const originDomain of ['a\0b', `${'x'.repeat(254)}😀`])
    usage.refuse(
      entryOf('key_1'),
      refused('domain_denied', null),
      conditionsOf({ originDomain }, 1),
    );
  await usage.flush();
  const origins = sent.flatMap(({ refusals = [] }) => refusals.map(({ origin }) => origin));
  expect(origins).toEqual(['a\ufffdb', `${'x'.repeat(254)}\ufffd`]);
});
