import { expect, it } from 'vitest';
import { createMemoryChangeBus } from '../../cluster/memory-change-bus.ts';
import { MemoryCounters } from '../../cluster/memory-counters.ts';
import { deriveSecrets } from '../../kernel/crypto.ts';
import { createIds } from '../../kernel/ids.ts';
import { UsageTally } from '../analytics/index.ts';
import type { KeyRow } from '../api-keys/index.ts';
import { ProjectStates } from '../projects/index.ts';
import { judgeHeld } from './batch.ts';
import { type Asker, Validator } from './validator.ts';

const ids = createIds();
const secrets = deriveSecrets('a root secret for this test, and for nothing else');
const [projectId, accountId] = [ids('prj'), ids('acc')];

/** The same windows, answered later, as those of Redis are. */
class LateCounters {
  readonly #windows = new MemoryCounters();
  take = async (...asked: Parameters<MemoryCounters['take']>) => this.#windows.take(...asked);
  lease = this.#windows.lease.bind(this.#windows);
  giveBack = this.#windows.giveBack.bind(this.#windows);
}

const rowOf = (n: number, rateLimit: number | null) => ({
  ...{ seq: n + 1, id: ids('key'), project_id: projectId, account_id: accountId, name: `Key ${n}` },
  ...{ hash: `${n}`, mask: 'live_******', env: 'live', is_active: 1, project_is_active: 1 },
  ...{ custom_meta_data: '{}', creation_context: '{}', created_at: 0, updated_at: 0 },
  ...{ custom_account_id: null, custom_user_id: null, expires_at: null, allowed_domains: null },
  ...{ rate_limit: rateLimit, rate_limit_ttl: 60, first_used_at: 1, last_used_at: 1 },
  limit_group: ids('key'),
});

it('what memory held is not judged by after a wait: a change that came meanwhile is in force', async () => {
  const values = Array.from({ length: 250 }, (_, n) => `a-value-of-ours-${n}`);
  const rows = new Map(
    values.map((value, n) => [secrets.hashValue(value), rowOf(n, n === 0 ? 1_000 : null)]),
  );
  const bus = createMemoryChangeBus();
  const validator = new Validator({
    readKey: (_, hash) => rows.get(hash) as unknown as KeyRow,
    secrets,
    counters: new LateCounters(),
    bus,
    projects: new ProjectStates(bus),
    tally: new UsageTally({ write: async () => {}, onError: () => {} }),
    clock: Date.now,
    cacheBytes: 1 << 24,
  });
  const asker = { accountId, projectIds: null } as unknown as Asker;
  for (const value of values) await validator.validate(asker, value, undefined);
  const held = validator.held(asker, values);
  expect(held).not.toContain(undefined);
  const judged = judgeHeld({
    ...{ validator, asker, held, origin: undefined, now: Date.now() },
    valueAt: (n) => values[n]!,
  });
  const revoked = rows.get(secrets.hashValue(values[200]!))!;
  revoked.is_active = 0;
  const { id, hash } = revoked;
  bus.publish([{ kind: 'api-key', id, hash, accountId, projectId }]);
  const kinds = (await judged).map(({ kind }) => kind);
  expect(kinds[200]).toBe('refused');
  expect(kinds.filter((kind) => kind === 'valid')).toHaveLength(249);
});
