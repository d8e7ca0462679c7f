import { UsedAccessKey } from '../../src/features/analytics/index.ts';
import type { Verdict } from '../../src/features/validation/index.ts';
import type { Storage } from '../../src/storage/index.ts';
import {
  HeldReads,
  type Memory,
  MOVED_VALUE,
  memoryOver,
  SHARED_VALUE,
  type Tenants,
} from './fill-race-world.ts';
import type { SeededRandom } from './seeded-random.ts';

/** What is true of the changed rows after each change; `version` is told by the rows themselves. */
interface Truth {
  version: number;
  keyActive: boolean;
  accessKeyActive: boolean;
  projectActive: boolean;
  valueMoved: boolean;
}

export interface ScheduleFigures {
  questions: number;
  changes: number;
}

type Subject = 'key' | 'access key' | 'key of the other account';

/** As an account-level access key of this account would ask. */
class Asker extends UsedAccessKey {
  readonly seq = 1;
  readonly projectIds = null;
  readonly accountId: string;

  constructor(accountId: string) {
    super();
    this.accountId = accountId;
  }
}

/** What somebody asked: how many changes were acknowledged when they did, and what they heard. */
interface Question {
  readonly subject: Subject;
  readonly acknowledged: number;
  readonly answer: Promise<string>;
}

const CHANGES = ['version', 'keyActive', 'accessKeyActive', 'projectActive', 'valueMoved'] as const;
/** Some schedules are storms, in which changes overtake the same fill again and again. */
const STORM_SHARE = 0.1;
const CALM = { steps: 24, changes: 4 };
const STORM = { steps: 100, changes: 25 };

/** One random order of reads, changes and answers. `truth` is carried on from schedule to schedule. */
export class Schedule {
  readonly #random: SeededRandom;
  readonly #reads: HeldReads;
  readonly #memory: Memory;
  readonly #tenants: Tenants;
  readonly #history: Truth[];
  readonly #size: typeof CALM;
  readonly #questions: Promise<void>[] = [];
  #acknowledged = 0;
  #underWay: Promise<void> | null = null;

  constructor(storage: Storage, tenants: Tenants, truth: Truth, random: SeededRandom) {
    this.#random = random;
    this.#reads = new HeldReads(random);
    this.#memory = memoryOver(storage, this.#reads);
    this.#tenants = tenants;
    this.#history = [truth];
    this.#size = random.chance(STORM_SHARE) ? STORM : CALM;
  }

  async run(): Promise<{ truth: Truth; figures: ScheduleFigures }> {
    for (let step = 0; step < this.#size.steps; step++) await this.#step();
    await this.#settle();
    await this.#checkWhatStays();
    const figures = { questions: this.#questions.length, changes: this.#acknowledged };
    return { truth: this.#history.at(-1)!, figures };
  }

  async #step(): Promise<void> {
    const choice = this.#random.below(10);
    if (choice < 3) this.#ask();
    else if (choice < 6) this.#reads.releaseOne();
    else if (choice < 8) this.#change();
    else await this.#underWay;
    // Lets what was released run on; a change under way may commit here or later.
    if (this.#random.chance(0.5)) await nextTurn();
  }

  #ask(): void {
    const subject = this.#random.pick<Subject>(['key', 'access key', 'key of the other account']);
    const question = { subject, acknowledged: this.#acknowledged, answer: this.#answer(subject) };
    this.#questions.push(this.#judge(question));
  }

  async #answer(subject: Subject): Promise<string> {
    const { validator, keyring } = this.#memory;
    const { accountId, otherAccountId, accessKeyValue } = this.#tenants;
    if (subject === 'access key') {
      const key = keyring.cached(accessKeyValue) ?? (await keyring.find(accessKeyValue));
      return key?.refusal(Date.now()) ?? `valid, version ${key!.rateLimit! - 1}`;
    }
    const asked = subject === 'key' ? accountId : otherAccountId;
    const asker = new Asker(asked);
    return verdictText(await validator.validate(asker, SHARED_VALUE, undefined));
  }

  /** True is what held at some moment from the question on: never what held before it. */
  async #judge({ subject, acknowledged, answer }: Question): Promise<void> {
    const heard = await answer;
    const possible = this.#history
      .slice(acknowledged)
      .map((truth) => this.#expected(subject, truth));
    if (!possible.includes(heard))
      throw new Error(
        `${subject}: asked after change ${acknowledged}, heard "${heard}", true were ${JSON.stringify(possible)}`,
      );
  }

  #expected(subject: Subject, truth: Truth): string {
    const { keyId, otherKeyId } = this.#tenants;
    if (subject === 'key of the other account') return `valid, ${otherKeyId} version 0`;
    if (subject === 'access key')
      return truth.accessKeyActive && truth.projectActive
        ? `valid, version ${truth.version}`
        : 'credential_revoked';
    if (truth.valueMoved) return 'key_not_found';
    if (!truth.projectActive) return 'key_project_inactive';
    return truth.keyActive ? `valid, ${keyId} version ${truth.version}` : 'key_revoked';
  }

  /** One change at a time; whether it has committed when a read happens is left to chance. */
  #change(): void {
    if (this.#underWay !== null || this.#acknowledged >= this.#size.changes) return;
    const truth = { ...this.#history.at(-1)! };
    const what = this.#random.pick(CHANGES);
    if (what === 'version') truth.version++;
    else truth[what] = !truth[what];
    this.#history.push(truth);
    this.#underWay = this.#apply(what, truth).then(() => {
      this.#acknowledged++;
      this.#underWay = null;
    });
  }

  async #apply(what: (typeof CHANGES)[number], truth: Truth): Promise<void> {
    const { apiKeys, accessKeys, projects } = this.#memory;
    const { actor, keyId, accessKeyId, projectId } = this.#tenants;
    const name = `version ${truth.version}`;
    if (what === 'version') {
      const rateLimit = truth.version + 1;
      // Two rows carry the version; each is a change of its own and told apart by its subject.
      await accessKeys.update(actor, accessKeyId, {
        rateLimitConfigs: { rateLimit, rateLimitTtl: 60 },
      });
      await apiKeys.update(actor, keyId, { name });
    } else if (what === 'valueMoved')
      await apiKeys.update(actor, keyId, {
        name,
        key: truth.valueMoved ? MOVED_VALUE : SHARED_VALUE,
      });
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

  async #settle(): Promise<void> {
    let pending = true;
    const all = Promise.all(this.#questions).finally(() => {
      pending = false;
    });
    await this.#underWay;
    while (pending) {
      this.#reads.releaseOne();
      await nextTurn();
    }
    await all;
  }

  /** What is in memory now is true; and what can be kept in memory is, after one more read. */
  async #checkWhatStays(): Promise<void> {
    for (const subject of ['key', 'access key', 'key of the other account'] as const)
      for (let round = 0; round < 3; round++) {
        const question = {
          subject,
          acknowledged: this.#acknowledged,
          answer: this.#answer(subject),
        };
        this.#questions.push(this.#judge(question));
        await nextTurn();
        const mayRead =
          round < 2 || this.#expected(subject, this.#history.at(-1)!) === 'key_not_found';
        if (!mayRead && this.#reads.count > 0) throw new Error(`${subject}: not kept in memory`);
        await this.#settle();
      }
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function verdictText(verdict: Verdict): string {
  if (verdict.kind === 'refused') return verdict.code;
  const { id, name } = JSON.parse(verdict.key.body) as { id: string; name: string };
  return `${verdict.kind}, ${id} ${name}`;
}
