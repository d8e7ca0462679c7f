import { expect, it } from 'vitest';
import type { ValidatedKey } from '../../src/generated/api-types.ts';
import { Entry } from '../../src/local/entry.ts';
import { type Report, Usage } from '../../src/local/usage.ts';

const entryOf = (id: string): Entry => {
  const record = { id, allowedDomains: null, rateLimitConfigs: null } as ValidatedKey;
  return new Entry({ record, behindMs: 0, expiresInMs: null, lease: null }, 0);
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
