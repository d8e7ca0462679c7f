import { NO_CONDITIONS } from '@keyward/rules/check-key.ts';
import { expect, it } from 'vitest';
import { noCredits } from '../../../test/harness/no-credits.ts';
import { createMemoryChangeBus } from '../../cluster/change-bus/memory.ts';
import { MemoryCounters } from '../../cluster/counters/memory.ts';
import { createIds } from '../../kernel/ids.ts';
import { ResponseBudget } from '../../kernel/response-budget.ts';
import { deriveSecrets } from '../../kernel/secrets/crypto.ts';
import { UsageTally, UsedAccessKey } from '../analytics/index.ts';
import type { KeyWithLevels } from '../api-keys/index.ts';
import { ChangeCounts, NO_LEVELS } from '../policies/index.ts';
import { ProjectStates } from '../projects/index.ts';
import { Validator } from './validator.ts';
import type { Caller } from './verdict.ts';

const nothing = {} as never;
const ids = createIds();
class TestCaller extends UsedAccessKey implements Caller {
  readonly seq = 1;
  readonly accountId = ids('acc');
  readonly projectIds = null;
}

const row = (isActive: 0 | 1) =>
  ({
    ...{ seq: 1, id: ids('key'), project_id: ids('prj'), account_id: ids('acc'), name: 'a key' },
    limit_group: ids('key'),
    ...{ hash: 'x', mask: 'live_******', env: 'live', is_active: isActive, project_is_active: 1 },
    ...{ custom_meta_data: '{}', creation_context: '{}', created_at: 0, updated_at: 0 },
    ...{ custom_account_id: null, custom_user_id: null, expires_at: null, allowed_domains: null },
    ...{ permissions: null, allowed_ips: null, tags: null, starts_at: null, limits: null },
    ...NO_LEVELS,
    ...{ rate_limit: null, rate_limit_ttl: null, first_used_at: null, last_used_at: null },
  }) as unknown as KeyWithLevels;

it('reads a key again if a change of kind "everything" arrives during the read', async () => {
  const bus = createMemoryChangeBus();
  const reads: PromiseWithResolvers<KeyWithLevels>[] = [];
  const validator = new Validator({
    readKey: () => {
      const read = Promise.withResolvers<KeyWithLevels>();
      reads.push(read);
      return read.promise;
    },
    secrets: deriveSecrets('a root secret for this test, and for nothing else'),
    counters: new MemoryCounters(),
    bus,
    projects: new ProjectStates(bus),
    levelChanges: new ChangeCounts(bus),
    credits: noCredits,
    tally: new UsageTally({ write: nothing, onError: nothing }),
    clock: Date.now,
    cacheBytes: 1 << 20,
    responses: new ResponseBudget(),
  });
  const caller = new TestCaller();
  const verdict = Promise.resolve(validator.validate(caller, 'a-value-of-ours', NO_CONDITIONS));
  bus.publish([{ kind: 'everything' }]);
  reads[0]!.resolve(row(1));
  await expect.poll(() => reads.length).toBe(2);
  reads[1]!.resolve(row(0));
  expect(await verdict).toEqual({ kind: 'refused', code: 'key_revoked' });
});
