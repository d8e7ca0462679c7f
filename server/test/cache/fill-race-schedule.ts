import { NO_CONDITIONS } from '@keyward/rules/check-key.ts';
import { UsedAccessKey } from '../../src/features/analytics/index.ts';
import type { Verdict } from '../../src/features/validation/index.ts';
import type { Storage } from '../../src/storage/index.ts';
import type { SeededRandom } from '../harness/seeded-random.ts';
import {
  CUSTOMER,
  createServices,
  DelayedReads,
  MOVED_VALUE,
  type Services,
  SHARED_VALUE,
  type Tenants,
} from './fill-race-world.ts';

/** Expected state of the rows after each change; the rows also contain `version`. */
interface Truth {
  version: number;
  keyActive: boolean;
  accessKeyActive: boolean;
  projectActive: boolean;
  valueMoved: boolean;
  /** The plan grants the permission `plan-<planVersion>`. */
  planVersion: number;
  /** If true, the customer grants its own permission instead of that of the plan. */
  customerExists: boolean;
}

export interface ScheduleFigures {
  lookups: number;
  changes: number;
}

type Subject = 'key' | 'access key' | 'key of the other account';

/** An account-level access key of the account. */
class Caller extends UsedAccessKey {
  readonly seq = 1;
  readonly projectIds = null;
  readonly accountId: string;

  constructor(accountId: string) {
    super();
    this.accountId = accountId;
  }
}

/** A lookup, with the number of changes that were acknowledged when it started. */
interface Lookup {
  readonly subject: Subject;
  readonly acknowledged: number;
  readonly result: Promise<string>;
}

const CHANGES = [
  'version',
  'keyActive',
  'accessKeyActive',
  'projectActive',
  'valueMoved',
  'planVersion',
  'customerExists',
] as const;
/** Some schedules are storms: changes invalidate the same cache fill many times. */
const STORM_SHARE = 0.1;
const CALM = { steps: 24, changes: 4 };
const STORM = { steps: 100, changes: 25 };

/** One random order of reads, changes and results. The next schedule starts from its final `truth`. */
export class Schedule {
  readonly #random: SeededRandom;
  readonly #reads: DelayedReads;
  readonly #services: Services;
  readonly #tenants: Tenants;
  readonly #history: Truth[];
  readonly #size: typeof CALM;
  readonly #lookups: Promise<void>[] = [];
  #acknowledged = 0;
  #pendingChange: Promise<void> | null = null;

  constructor(storage: Storage, tenants: Tenants, truth: Truth, random: SeededRandom) {
    this.#random = random;
    this.#reads = new DelayedReads(random);
    this.#services = createServices(storage, this.#reads);
    this.#tenants = tenants;
    this.#history = [truth];
    this.#size = random.chance(STORM_SHARE) ? STORM : CALM;
  }

  async run(): Promise<{ truth: Truth; figures: ScheduleFigures }> {
    for (let step = 0; step < this.#size.steps; step++) await this.#step();
    await this.#settle();
    await this.#checkCached();
    const figures = { lookups: this.#lookups.length, changes: this.#acknowledged };
    return { truth: this.#history.at(-1)!, figures };
  }

  async #step(): Promise<void> {
    const choice = this.#random.below(10);
    if (choice < 3) this.#startLookup();
    else if (choice < 6) this.#reads.releaseOne();
    else if (choice < 8) this.#change();
    else await this.#pendingChange;
    // Lets released reads continue; a change in progress may commit here or later.
    if (this.#random.chance(0.5)) await nextTurn();
  }

  #startLookup(): void {
    const subject = this.#random.pick<Subject>(['key', 'access key', 'key of the other account']);
    const lookup = { subject, acknowledged: this.#acknowledged, result: this.#lookUp(subject) };
    this.#lookups.push(this.#check(lookup));
  }

  async #lookUp(subject: Subject): Promise<string> {
    const { validator, keyring } = this.#services;
    const { accountId, otherAccountId, accessKeyValue } = this.#tenants;
    if (subject === 'access key') {
      const key = keyring.cached(accessKeyValue) ?? (await keyring.find(accessKeyValue, ''));
      return key?.refusal(Date.now()) ?? `valid, version ${key!.rateLimit! - 1}`;
    }
    const callerAccountId = subject === 'key' ? accountId : otherAccountId;
    const caller = new Caller(callerAccountId);
    return verdictText(await validator.validate(caller, SHARED_VALUE, NO_CONDITIONS));
  }

  /** A result must match a state at or after the start of the lookup, never an earlier one. */
  async #check({ subject, acknowledged, result }: Lookup): Promise<void> {
    const actual = await result;
    const possible = this.#history
      .slice(acknowledged)
      .map((truth) => this.#expected(subject, truth));
    if (!possible.includes(actual))
      throw new Error(
        `${subject}: looked up after change ${acknowledged}, got "${actual}", expected one of ${JSON.stringify(possible)}`,
      );
  }

  #expected(subject: Subject, truth: Truth): string {
    const { keyId, otherKeyId } = this.#tenants;
    if (subject === 'key of the other account') return `valid, ${otherKeyId} version 0, plan-0`;
    if (subject === 'access key')
      return truth.accessKeyActive && truth.projectActive
        ? `valid, version ${truth.version}`
        : 'credential_revoked';
    if (truth.valueMoved) return 'key_not_found';
    if (!truth.projectActive) return 'key_project_inactive';
    const permission = truth.customerExists ? 'customer' : `plan-${truth.planVersion}`;
    return truth.keyActive
      ? `valid, ${keyId} version ${truth.version}, ${permission}`
      : 'key_revoked';
  }

  /** One change at a time; it may commit before or after a concurrent read. */
  #change(): void {
    if (this.#pendingChange !== null || this.#acknowledged >= this.#size.changes) return;
    const truth = { ...this.#history.at(-1)! };
    const what = this.#random.pick(CHANGES);
    // An inactive project takes no new customers.
    if (what === 'customerExists' && !truth.customerExists && !truth.projectActive) return;
    if (what === 'version' || what === 'planVersion') truth[what]++;
    else truth[what] = !truth[what];
    this.#history.push(truth);
    this.#pendingChange = this.#apply(what, truth).then(() => {
      this.#acknowledged++;
      this.#pendingChange = null;
    });
  }

  async #apply(what: (typeof CHANGES)[number], truth: Truth): Promise<void> {
    const { apiKeys, accessKeys, projects, plans } = this.#services;
    const { actor, keyId, accessKeyId, projectId, planId } = this.#tenants;
    const name = `version ${truth.version}`;
    if (what === 'version') {
      const rateLimit = truth.version + 1;
      // Two rows contain the version; each subject reads only one of them.
      await accessKeys.update(actor, accessKeyId, {
        rateLimitConfigs: { rateLimit, rateLimitTtl: 60 },
      });
      await apiKeys.update(actor, keyId, { name });
    } else if (what === 'valueMoved')
      await apiKeys.update(actor, keyId, {
        name,
        key: truth.valueMoved ? MOVED_VALUE : SHARED_VALUE,
      });
    else if (what === 'planVersion')
      await plans.update(actor, planId, { permissions: [`plan-${truth.planVersion}`] });
    else if (what === 'customerExists') await this.#setCustomer(truth.customerExists);
    else if (what === 'keyActive')
      await (truth.keyActive ? apiKeys.reactivate(actor, keyId) : apiKeys.revoke(actor, keyId));
    else if (what === 'accessKeyActive')
      await (truth.accessKeyActive
        ? accessKeys.reactivate(actor, accessKeyId)
        : accessKeys.revoke(actor, accessKeyId));
    else
      await (truth.projectActive
        ? projects.reactivate(actor, projectId)
        : projects.deactivate(actor, projectId));
  }

  async #setCustomer(exists: boolean): Promise<void> {
    const { customers } = this.#services;
    const { actor, projectId } = this.#tenants;
    if (exists)
      await customers.create(actor, {
        customAccountId: CUSTOMER,
        projectId,
        permissions: ['customer'],
      });
    else await customers.delete(actor, { id: CUSTOMER, projectId });
  }

  async #settle(): Promise<void> {
    let pending = true;
    const all = Promise.all(this.#lookups).finally(() => {
      pending = false;
    });
    await this.#pendingChange;
    while (pending) {
      this.#reads.releaseOne();
      await nextTurn();
    }
    await all;
  }

  /** Checks that the cache is up to date, and that the third lookup finds every cacheable entry in it. */
  async #checkCached(): Promise<void> {
    for (const subject of ['key', 'access key', 'key of the other account'] as const)
      for (let round = 0; round < 3; round++) {
        const lookup = {
          subject,
          acknowledged: this.#acknowledged,
          result: this.#lookUp(subject),
        };
        this.#lookups.push(this.#check(lookup));
        await nextTurn();
        const mayRead =
          round < 2 || this.#expected(subject, this.#history.at(-1)!) === 'key_not_found';
        if (!mayRead && this.#reads.count > 0) throw new Error(`${subject}: not cached`);
        await this.#settle();
      }
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function verdictText(verdict: Verdict): string {
  if (verdict.kind === 'refused') return verdict.code;
  const { id, name, permissions } = JSON.parse(verdict.key.body);
  return `${verdict.kind}, ${id} ${name}, ${permissions}`;
}
