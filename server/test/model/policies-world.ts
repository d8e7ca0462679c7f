import { NO_CONDITIONS } from '@keyward/rules/check-key.ts';
import type { Cost } from '@keyward/rules/cost.ts';
import { firstBoot } from '../../src/app/first-boot.ts';
import { createMemoryChangeBus } from '../../src/cluster/change-bus/memory.ts';
import type { Counters } from '../../src/cluster/counters/counters.ts';
import { UsageTally, UsedAccessKey } from '../../src/features/analytics/index.ts';
import { ApiKeyService, findKeyWithLevels, KeyReader } from '../../src/features/api-keys/index.ts';
import { ChangeRunner } from '../../src/features/changes/index.ts';
import { CreditLedger, CreditService } from '../../src/features/credits/index.ts';
import { CustomerService } from '../../src/features/customers/index.ts';
import { PlanService } from '../../src/features/plans/index.ts';
import { ChangeCounts } from '../../src/features/policies/index.ts';
import { ProjectCache, ProjectService, ProjectStates } from '../../src/features/projects/index.ts';
import { Validator } from '../../src/features/validation/index.ts';
import { TransactionalOutbox } from '../../src/features/webhooks/index.ts';
import type { Actor } from '../../src/kernel/actor.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { ResponseBudget } from '../../src/kernel/response-budget.ts';
import { deriveSecrets } from '../../src/kernel/secrets/crypto.ts';
import type { Storage } from '../../src/storage/index.ts';
import { TEST_ROOT_SECRET } from '../harness/test-app.ts';
import { openTestStorage } from '../harness/test-storage.ts';

const secrets = deriveSecrets(TEST_ROOT_SECRET);

class Caller extends UsedAccessKey {
  readonly seq = 1;
  readonly projectIds = null;
  readonly accountId: string;

  constructor(accountId: string) {
    super();
    this.accountId = accountId;
  }
}

interface Setup {
  readonly startAt: number;
  /** One for each node. A single node holds credits as if no other node used the database. */
  readonly counters: readonly Counters[];
}

/** All services that decide a validation, on one database, with a clock that the test moves. */
export class PolicyWorld {
  readonly storage: Storage;
  readonly nodes: readonly PolicyNode[];
  readonly projectId: string;
  now: number;
  readonly #dispose: () => Promise<void>;

  private constructor(
    opened: { storage: Storage; dispose(): Promise<void> },
    project: { account_id: string; id: string },
    { startAt, counters }: Setup,
  ) {
    this.storage = opened.storage;
    this.#dispose = opened.dispose;
    this.projectId = project.id;
    this.now = startAt;
    const bus = createMemoryChangeBus();
    const parts = { storage: opened.storage, bus, accountId: project.account_id };
    const clock = () => this.now;
    const nodes = counters.length === 1 ? null : () => counters.length;
    this.nodes = counters.map(
      (each, n) => new PolicyNode({ ...parts, clock, counters: each, name: `node ${n}`, nodes }),
    );
  }

  static async open(setup: Setup): Promise<PolicyWorld> {
    const opened = await openTestStorage();
    const { storage } = opened;
    await firstBoot(storage, secrets, createIds(), setup.startAt, null);
    const project = await storage.point
      .selectFrom('projects')
      .selectAll()
      .executeTakeFirstOrThrow();
    return new PolicyWorld(opened, project, setup);
  }

  async close(): Promise<void> {
    for (const { ledger } of this.nodes) await ledger.stop();
    await this.#dispose();
  }

  /** Stores the use of all nodes. */
  async flush(): Promise<void> {
    for (const { ledger } of this.nodes) {
      await ledger.flush();
      await ledger.transactionsDone();
    }
  }
}

interface NodeParts {
  readonly storage: Storage;
  readonly bus: ReturnType<typeof createMemoryChangeBus>;
  readonly accountId: string;
  readonly clock: () => number;
  readonly counters: Counters;
  readonly name: string;
  readonly nodes: (() => number) | null;
}

export class PolicyNode {
  readonly actor: Actor;
  readonly ledger: CreditLedger;
  readonly apiKeys: ApiKeyService;
  readonly keyReader: KeyReader;
  readonly plans: PlanService;
  readonly customers: CustomerService;
  readonly projects: ProjectService;
  readonly #validator: Validator;
  readonly #caller: Caller;

  constructor({ storage, bus, accountId, clock, counters, name, nodes }: NodeParts) {
    const principal = { kind: 'access-key', id: 'ak_test', accountId, projectIds: null } as const;
    this.actor = {
      principal: { ...principal, scopes: new Set(['*' as const]) },
      requestId: 'test',
      clientAddress: null,
      userAgent: null,
    };
    this.#caller = new Caller(accountId);
    const ids = createIds(clock);
    const onError = (error: unknown) => {
      throw error;
    };
    const projects = new ProjectStates(bus);
    const levelChanges = new ChangeCounts(bus);
    const outbox = new TransactionalOutbox({
      ...{ storage, secrets, ids, wake: () => {}, readPrincipal: async () => null },
    });
    const changes = new ChangeRunner({ storage, bus, outbox, secrets, ids, clock });
    this.ledger = new CreditLedger({
      ...{ storage, bus, clock, ids, node: name, nodes, onError },
    });
    this.#validator = new Validator({
      readKey: (account, hash) =>
        findKeyWithLevels(storage.point, { accountId: account, projectIds: null }, { hash }),
      tally: new UsageTally({ write: async () => {}, onError }),
      cacheBytes: 1 << 20,
      responses: new ResponseBudget(),
      ...{ secrets, counters, bus, projects, levelChanges, credits: this.ledger, clock },
    });
    const credits = new CreditService({ changes, ledger: this.ledger, clock });
    const projectCache = new ProjectCache({ storage, bus });
    const parts = { storage, changes, secrets, ids, projects: projectCache, credits };
    this.keyReader = new KeyReader({ ...parts, clock });
    this.apiKeys = new ApiKeyService({ ...parts, reader: this.keyReader });
    this.plans = new PlanService(parts);
    this.customers = new CustomerService(parts);
    this.projects = new ProjectService({ storage, changes, ids });
  }

  async validate(value: string, cost: Cost, resource: string | null = null) {
    const conditions = { ...NO_CONDITIONS, cost, resource };
    const verdict = await this.#validator.validate(this.#caller, value, conditions);
    if (verdict.kind === 'refused') throw new Error(`The key was refused: ${verdict.code}.`);
    return verdict;
  }
}
