import { createMemoryChangeBus } from '../../src/cluster/change-bus/memory.ts';
import { MemoryCounters } from '../../src/cluster/counters/memory.ts';
import {
  AccessKeyService,
  accessKeyByHash,
  Keyring,
} from '../../src/features/access-keys/index.ts';
import { AccountService } from '../../src/features/accounts/index.ts';
import { UsageTally, usageWriter } from '../../src/features/analytics/index.ts';
import { ApiKeyService, findKey, firstUseEvents } from '../../src/features/api-keys/index.ts';
import { ChangeRunner } from '../../src/features/changes/index.ts';
import { makeOwner } from '../../src/features/people/index.ts';
import { ProjectCache, ProjectService, ProjectStates } from '../../src/features/projects/index.ts';
import { Validator } from '../../src/features/validation/index.ts';
import { TransactionalOutbox } from '../../src/features/webhooks/index.ts';
import type { Actor } from '../../src/kernel/actor.ts';
import type { Principal } from '../../src/kernel/authority.ts';
import { deriveSecrets } from '../../src/kernel/crypto.ts';
import { createIds } from '../../src/kernel/ids.ts';
import type { Storage } from '../../src/storage/index.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Both accounts have a key of this value; only one of the two is changed. */
export const SHARED_VALUE = 'a-value-of-two-accounts';
export const MOVED_VALUE = 'where-the-value-goes';

const secrets = deriveSecrets('a root secret for races, and for nothing else');
const ids = createIds();
const clock = Date.now;

const actorOf = (principal: Principal): Actor => ({
  principal,
  requestId: 'race',
  clientAddress: null,
  userAgent: null,
});

const principalOf = (accountId: string): Principal => ({
  kind: 'access-key',
  id: 'ak_race',
  accountId,
  projectIds: null,
  scopes: new Set(['*']),
});

/** Reads whose answer is in hand but not yet given: each waits until a schedule lets it go. */
export class HeldReads {
  readonly #random: SeededRandom;
  #held: (() => void)[] = [];

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  hold(): Promise<void> {
    return new Promise((resolve) => this.#held.push(resolve));
  }

  get count(): number {
    return this.#held.length;
  }

  releaseOne(): void {
    const index = this.#random.below(this.#held.length);
    this.#held.splice(index, 1)[0]?.();
  }
}

/** What is in memory, made anew for each schedule over the one database. */
export function memoryOver(storage: Storage, reads: HeldReads) {
  const bus = createMemoryChangeBus();
  const projects = new ProjectStates(bus);
  const outbox = new TransactionalOutbox({
    storage,
    secrets,
    ids,
    wake: () => {},
    readPrincipal: async () => null,
  });
  const changes = new ChangeRunner({ storage, bus, outbox, secrets, ids, clock });
  const tally = new UsageTally({
    write: usageWriter({ storage, outbox, describe: firstUseEvents, clock }),
    onError: () => {},
  });
  // Rows are read at once and handed over late: whatever commits in between makes them old.
  const latePoint = storage.point.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await reads.hold();
      return result;
    },
  });
  const keyring = new Keyring({
    readAccessKey: accessKeyByHash(latePoint),
    secrets,
    bus,
    projects,
  });
  const validator = new Validator({
    readKey: (accountId, hash) => findKey(latePoint, { accountId, projectIds: null }, { hash }),
    secrets,
    counters: new MemoryCounters(),
    bus,
    projects,
    tally,
    clock,
    cacheBytes: 1 << 20,
  });
  return {
    validator,
    keyring,
    apiKeys: new ApiKeyService({
      storage,
      changes,
      secrets,
      ids,
      projects: new ProjectCache({ storage, news: bus }),
    }),
    accessKeys: new AccessKeyService({ storage, changes, secrets, ids }),
    projects: new ProjectService({ storage, changes, ids }),
    accounts: new AccountService({ storage, changes, ids, makeOwner }),
  };
}
export type Memory = ReturnType<typeof memoryOver>;

export interface Tenants {
  readonly actor: Actor;
  readonly accountId: string;
  readonly projectId: string;
  readonly keyId: string;
  readonly accessKeyId: string;
  readonly accessKeyValue: string;
  readonly otherAccountId: string;
  readonly otherKeyId: string;
}

/** Two accounts, each with a key of the same value; the first with an access key of its project. */
export async function makeTenants(memory: Memory): Promise<Tenants> {
  const operator = actorOf({ kind: 'operator', id: 'operator' });
  const make = async (name: string) => {
    const account = await memory.accounts.create(operator, name);
    const actor = actorOf(principalOf(account.id));
    const project = await memory.projects.create(actor, { name });
    const key = await memory.apiKeys.create(actor, { name: 'version 0', key: SHARED_VALUE });
    return { actor, accountId: account.id, projectId: project.id, keyId: key.id };
  };
  const first = await make('first');
  const other = await make('other');
  const accessKey = await memory.accessKeys.create(first.actor, {
    name: 'raced',
    projectId: first.projectId,
    rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 60 },
  });
  return {
    ...first,
    accessKeyId: accessKey.id,
    accessKeyValue: accessKey.key,
    otherAccountId: other.accountId,
    otherKeyId: other.keyId,
  };
}
