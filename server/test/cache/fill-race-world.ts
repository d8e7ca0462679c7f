import { createMemoryChangeBus } from '../../src/cluster/change-bus/memory.ts';
import { MemoryCounters } from '../../src/cluster/counters/memory.ts';
import {
  AccessKeyService,
  accessKeyByHash,
  CredentialChecks,
  Keyring,
} from '../../src/features/access-keys/index.ts';
import { AccountService } from '../../src/features/accounts/index.ts';
import { UsageTally, usageWriter } from '../../src/features/analytics/index.ts';
import {
  ApiKeyService,
  findKeyWithLevels,
  firstUseEvents,
  KeyReader,
} from '../../src/features/api-keys/index.ts';
import { ChangeRunner } from '../../src/features/changes/index.ts';
import { CreditLedger, CreditService } from '../../src/features/credits/index.ts';
import { CustomerService } from '../../src/features/customers/index.ts';
import { makeOwner } from '../../src/features/people/index.ts';
import { PlanService } from '../../src/features/plans/index.ts';
import { ChangeCounts } from '../../src/features/policies/index.ts';
import { ProjectCache, ProjectService, ProjectStates } from '../../src/features/projects/index.ts';
import { Validator } from '../../src/features/validation/index.ts';
import { TransactionalOutbox } from '../../src/features/webhooks/index.ts';
import type { Actor } from '../../src/kernel/actor.ts';
import type { Principal } from '../../src/kernel/authority.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { ResponseBudget } from '../../src/kernel/response-budget.ts';
import { deriveSecrets } from '../../src/kernel/secrets/crypto.ts';
import type { Storage } from '../../src/storage/index.ts';
import type { SeededRandom } from '../harness/seeded-random.ts';

/** Both accounts have a key with this value; only the key of the first account changes. */
export const SHARED_VALUE = 'a-value-of-two-accounts';
export const MOVED_VALUE = 'where-the-value-goes';
/** The `customAccountId` of both keys. Only the customer of the first account is created and deleted. */
export const CUSTOMER = 'customer-of-the-race';

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

/** Reads that have their rows but return them only when the schedule releases them. */
export class DelayedReads {
  readonly #random: SeededRandom;
  #waiting: (() => void)[] = [];

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  get count(): number {
    return this.#waiting.length;
  }

  releaseOne(): void {
    const index = this.#random.below(this.#waiting.length);
    this.#waiting.splice(index, 1)[0]?.();
  }
}

/** New services with empty caches for each schedule, over the same database. */
export function createServices(storage: Storage, reads: DelayedReads) {
  const bus = createMemoryChangeBus();
  const projects = new ProjectStates(bus);
  const levelChanges = new ChangeCounts(bus);
  const outbox = new TransactionalOutbox({
    storage,
    secrets,
    ids,
    wake: () => {},
    readPrincipal: async () => null,
  });
  const changes = new ChangeRunner({ storage, bus, outbox, secrets, ids, clock });
  const tally = new UsageTally({
    write: usageWriter({ storage, outbox, firstUseEvents, ids, clock }),
    onError: () => {},
  });
  // Rows are read immediately and returned later: a commit in between makes them stale.
  const latePoint = storage.point.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await reads.wait();
      return result;
    },
  });
  const keyring = new Keyring({
    readAccessKey: async (hash) => {
      const row = await accessKeyByHash(storage)(hash);
      await reads.wait();
      return row;
    },
    credentialChecks: new CredentialChecks(),
    secrets,
    bus,
    projects,
  });
  const onError = () => {};
  const ledger = new CreditLedger({
    ...{ storage, clock, ids, bus, node: 'embedded', nodes: null, onError },
  });
  const validator = new Validator({
    readKey: (accountId, hash) =>
      findKeyWithLevels(latePoint, { accountId, projectIds: null }, { hash }),
    secrets,
    counters: new MemoryCounters(),
    bus,
    projects,
    levelChanges,
    credits: ledger,
    tally,
    clock,
    cacheBytes: 1 << 20,
    responses: new ResponseBudget(),
  });
  const credits = new CreditService({ changes, ledger, clock });
  const projectCache = new ProjectCache({ storage, bus });
  const parts = { storage, changes, secrets, ids, projects: projectCache, credits };
  return {
    validator,
    keyring,
    apiKeys: new ApiKeyService({ ...parts, reader: new KeyReader({ ...parts, clock }) }),
    plans: new PlanService(parts),
    customers: new CustomerService(parts),
    accessKeys: new AccessKeyService({ storage, changes, secrets, ids }),
    projects: new ProjectService({ storage, changes, ids }),
    accounts: new AccountService({ storage, changes, ids, makeOwner }),
  };
}
export type Services = ReturnType<typeof createServices>;

export interface Tenants {
  readonly actor: Actor;
  readonly accountId: string;
  readonly projectId: string;
  readonly keyId: string;
  readonly planId: string;
  readonly accessKeyId: string;
  readonly accessKeyValue: string;
  readonly otherAccountId: string;
  readonly otherKeyId: string;
}

/** Two accounts with a key of the same value; the first also has a project-level access key. */
export async function makeTenants(services: Services): Promise<Tenants> {
  const operator = actorOf({ kind: 'operator', id: 'operator' });
  const make = async (name: string) => {
    const account = await services.accounts.create(operator, name);
    const actor = actorOf(principalOf(account.id));
    const project = await services.projects.create(actor, { name });
    const plan = await services.plans.create(actor, { name, permissions: ['plan-0'] });
    const key = await services.apiKeys.create(actor, {
      name: 'version 0',
      key: SHARED_VALUE,
      customAccountId: CUSTOMER,
      planId: plan.id,
    });
    const [accountId, projectId] = [account.id, project.id];
    return { actor, accountId, projectId, keyId: key.id, planId: plan.id };
  };
  const first = await make('first');
  const other = await make('other');
  const accessKey = await services.accessKeys.create(first.actor, {
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
