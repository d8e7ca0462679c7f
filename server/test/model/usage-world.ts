import type { KeyOutcome, Outcome } from '@keyward/rules/outcomes.ts';
import { usageResource } from '@keyward/rules/usage-resources.ts';
import { generateValue } from '../../src/kernel/secrets/key-values.ts';
import type { SeededRandom } from '../harness/seeded-random.ts';
import type { TestApp } from '../harness/test-app.ts';
import type { TestClient } from '../harness/test-client.ts';
import type { KnownKey, RecordedValidation } from './usage-recount.ts';

interface Caller {
  readonly id: string;
  readonly name: string;
  readonly client: TestClient;
  /** null: account level. */
  readonly projectId: string | null;
}

/** The usual outcome of a key. */
type UsualOutcome = Exclude<KeyOutcome, 'credits_exhausted'>;

const USUAL_OUTCOMES: readonly UsualOutcome[] = [
  'valid',
  'valid',
  'rate_limited',
  'revoked',
  'expired',
  'domain_denied',
  'not_started',
  'ip_denied',
  'permission_denied',
];

/** The outcome that each result code is counted as. */
const OUTCOMES: Record<string, Outcome> = {
  valid: 'valid',
  rate_limited: 'rate_limited',
  key_revoked: 'revoked',
  key_expired: 'expired',
  domain_denied: 'domain_denied',
  key_not_started: 'not_started',
  ip_denied: 'ip_denied',
  permission_denied: 'permission_denied',
  key_not_found: 'unknown',
  key_malformed: 'malformed',
};

/** The first project counts its usage by these; the second declares none. */
export const PATTERNS = ['POST:/v1/chat', 'POST:*'];
const RESOURCES = ['POST:/v1/chat', 'POST:/v1/files', 'GET:/v1/files'];

/** Costs of uses that are reported. */
const COSTS = [0, 1, 7, 1_000_000];

/** A request that costs nothing is only a check. */
const isUse = ({ cost, tokens, requests = 0 }: RecordedValidation): boolean =>
  cost + tokens + requests > 0;

/** Two projects with keys of every usual outcome, plans of every level, and access keys of both levels. */
export class UsageWorld {
  readonly test: TestApp;
  readonly validations: RecordedValidation[] = [];
  readonly keys: KnownKey[] = [];
  readonly callers: Caller[] = [];
  readonly projects: { id: string; name: string; env: string; createdAt: number }[] = [];
  readonly plans: { id: string; name: string; projectId: string }[] = [];
  readonly customers: { customAccountId: string; name: string; projectId: string }[] = [];
  #reports = 0;
  /** Usage older than this time has been written. */
  #oldest = Number.POSITIVE_INFINITY;

  constructor(test: TestApp) {
    this.test = test;
  }

  async make(): Promise<void> {
    const { client, projectId } = this.test;
    const second = (await client.post('/projects', { name: 'Second', env: 'test' })).body;
    const first = (await client.get(`/projects/${projectId}`)).body;
    for (const { id, name, env, createdAt } of [first, second])
      this.projects.push({ id, name, env, createdAt: Date.parse(createdAt) });
    await this.#access('Account', null);
    await this.#access('Project', second.id);
    const firstAccessKey = (await client.get('/access-keys')).body.find(
      (key: { name: string }) => key.name === 'First access key',
    );
    this.callers.push({
      id: firstAccessKey.id,
      name: firstAccessKey.name,
      client,
      projectId: null,
    });
    for (const project of [first.id, second.id])
      for (const [n, usualOutcome] of USUAL_OUTCOMES.entries())
        await this.#key(project, usualOutcome, n);
    await this.#assignPlans(first.id, second.id);
    await client.patch(`/projects/${first.id}`, { resources: PATTERNS });
    for (const { id } of [first, second])
      await client.patch(`/projects/${id}`, { units: ['tokens'] });
  }

  /** What a request of a key counts as. */
  #resourceOf(key: KnownKey | null, resource: string | null): string | null {
    return key?.projectId === this.projects[0]!.id ? usageResource(PATTERNS, resource) : null;
  }

  /** In the first project, plans of all three levels; in the second, only customers have one. */
  async #assignPlans(first: string, second: string): Promise<void> {
    const [own, customer, standard] = [
      await this.#plan('Own', first),
      await this.#plan('Customer', first),
      await this.#plan('Standard', first),
    ];
    const other = await this.#plan('Other', second);
    await this.#customer('customer 1', first, customer);
    await this.#customer('customer 2', second, other);
    await this.test.storage.transaction(async (tx) => {
      await tx
        .updateTable('projects')
        .set({ default_plan_id: standard })
        .where('id', '=', first)
        .execute();
      for (const [n, key] of this.keys.entries()) {
        const hasOwn = key.projectId === first && n % 4 === 0;
        if (hasOwn)
          await tx.updateTable('api_keys').set({ plan_id: own }).where('id', '=', key.id).execute();
        const ofCustomer =
          key.projectId === first
            ? key.customAccountId === 'customer 1' && customer
            : key.customAccountId === 'customer 2' && other;
        const planId = hasOwn ? own : ofCustomer || (key.projectId === first ? standard : null);
        this.keys[n] = { ...key, planId };
      }
    });
  }

  async #plan(name: string, projectId: string): Promise<string> {
    const id = `pln_${name.toLowerCase()}`;
    await this.#insert('plans', { id, project_id: projectId, name });
    this.plans.push({ id, name, projectId });
    return id;
  }

  async #customer(customAccountId: string, projectId: string, planId: string): Promise<void> {
    const name = `The ${customAccountId}`;
    await this.#insert('customers', {
      id: `cus_${projectId}`,
      project_id: projectId,
      custom_account_id: customAccountId,
      name,
      plan_id: planId,
      custom_meta_data: '{}',
    });
    this.customers.push({ customAccountId, name, projectId });
  }

  async #insert(table: 'plans' | 'customers', row: object): Promise<void> {
    const { storage, clock, accountId } = this.test;
    const times = { revision: 1, created_at: clock.now, updated_at: clock.now };
    const values = { account_id: accountId, ...times, ...row } as never;
    await storage.transaction((tx) => tx.insertInto(table).values(values).execute());
  }

  async #access(name: string, projectId: string | null): Promise<void> {
    const { client } = this.test;
    const { body } = await client.post('/access-keys', { name, projectId });
    this.callers.push({ id: body.id, name, client: client.as(body.key), projectId });
  }

  async #key(projectId: string, usualOutcome: UsualOutcome, n: number): Promise<void> {
    const { client, clock } = this.test;
    const { body } = await client.post('/api-keys', {
      name: `Key ${'cabfedigh'[n]}`,
      projectId,
      ...(n % 3 !== 0 && { customAccountId: `customer ${n % 3}` }),
      ...(n % 2 !== 0 && { customUserId: `user ${n}` }),
      ...(usualOutcome === 'rate_limited' && {
        rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 3600 },
      }),
      ...(usualOutcome === 'expired' && { expiry: new Date(clock.now + 1).toISOString() }),
      ...(usualOutcome === 'domain_denied' && { allowedDomains: ['unused.example'] }),
      ...(usualOutcome === 'not_started' && { startsAt: '2999-01-01' }),
      ...(usualOutcome === 'ip_denied' && { allowedIPs: ['192.0.2.1'] }),
      ...(usualOutcome !== 'permission_denied' && { permissions: ['used'] }),
    });
    if (usualOutcome === 'revoked') await client.delete(`/api-keys/${body.id}`);
    const { id, key, name, env, customAccountId, customUserId } = body;
    const mask = (await client.get(`/api-keys/${id}`)).body.key;
    const known = { id, value: key, name, mask, projectId, env, customAccountId, customUserId };
    this.keys.push({ ...known, planId: null, createdAt: clock.now });
  }

  /**
   * Flushes before usage has waited for 11 hours: usage that is written more than 12 hours late is counted in
   * the minute in which it is written.
   */
  async advance(ms: number): Promise<void> {
    const { clock, app } = this.test;
    this.#oldest = Math.min(this.#oldest, clock.now);
    if (clock.now + ms - this.#oldest > 11 * 3_600_000) {
      await app.tally.flush();
      this.#oldest = clock.now;
    }
    clock.now += ms;
  }

  /** Validates a few known and unknown values in one batch, and records the results. */
  async validate(random: SeededRandom, most: number): Promise<void> {
    const caller = random.pick(this.callers);
    const at = this.test.clock.now;
    const values: (KnownKey | string)[] = [];
    for (let n = 1 + random.below(most); n > 0; n--) {
      const kind = random.below(20);
      if (kind < 18) values.push(random.pick(this.keys));
      else values.push(kind === 18 ? generateValue('live_') : 'not a value at all');
    }
    const keys = values.map((each) => (typeof each === 'string' ? each : each.value));
    const { body } = await caller.client.post('/api-keys/auth', { keys, permissions: 'used' });
    for (const [n, { code }] of (body as { code: string }[]).entries()) {
      const outcome = OUTCOMES[code];
      if (outcome === undefined) throw new Error(`Unexpected result code ${code}.`);
      const each = values[n]!;
      const isVisible = typeof each !== 'string' && outcome !== 'unknown';
      const key = isVisible ? each : null;
      const resource = this.#resourceOf(key, null);
      const counted = { at, outcome, cost: 1, tokens: 0, key, resource };
      this.validations.push({ ...counted, accessKeyId: caller.id });
    }
  }

  /** Reports uses with a cost, as a process that validates in its own memory does. */
  async report(random: SeededRandom): Promise<void> {
    // A report is written at once; earlier validations must not be written after it.
    await this.test.app.tally.flush();
    const caller = random.pick(this.callers);
    const at = this.test.clock.now;
    const counts = Array.from({ length: 1 + random.below(3) }, () => {
      const key = random.pick(this.keys);
      const outcome = random.chance(0.8) ? ('valid' as const) : ('rate_limited' as const);
      const resource = random.pick(RESOURCES);
      return { key, outcome, count: 1 + random.below(3), cost: random.pick(COSTS), resource };
    });
    await caller.client.post('/usage', {
      reporter: 'reporter-of-the-model',
      number: ++this.#reports,
      agoMs: 0,
      counts: counts.map(({ key, ...count }) => ({ keyId: key.id, ...count })),
    });
    for (const { key, outcome, count, cost, resource } of counts) {
      if (caller.projectId !== null && caller.projectId !== key.projectId) continue;
      for (let n = 0; n < count; n++)
        this.validations.push({
          at,
          outcome,
          cost: n === 0 ? cost : 0,
          tokens: 0,
          key,
          resource: this.#resourceOf(key, resource),
          accessKeyId: caller.id,
        });
    }
  }

  /** Validates a key about a resource, with a cost in units. */
  async validateUnits(random: SeededRandom): Promise<void> {
    const caller = random.pick(this.callers);
    const key = random.pick(this.keys);
    const resource = random.chance(0.8) ? random.pick(RESOURCES) : null;
    const cost = random.pick(COSTS);
    const requests = random.pick([1, cost]);
    const tokens = random.pick([0, 5, 1_000_000_000]);
    const at = this.test.clock.now;
    const units = { tokens, credits: cost, requests };
    const { body } = await caller.client.post('/api-keys/auth', {
      keys: [{ key: key.value, cost: units, ...(resource !== null && { resource }) }],
      permissions: 'used',
    });
    const outcome = OUTCOMES[body[0].code]!;
    const known = outcome === 'unknown' ? null : key;
    const counted = { at, outcome, cost, requests, tokens, key: known, accessKeyId: caller.id };
    this.validations.push({ ...counted, resource: this.#resourceOf(known, resource) });
  }

  usesOf(key: KnownKey): { firstUsedAt: string | null; lastUsedAt: string | null } {
    const times = this.validations
      .filter((each) => each.key?.id === key.id && each.outcome === 'valid' && isUse(each))
      .map(({ at }) => at);
    if (times.length === 0) return { firstUsedAt: null, lastUsedAt: null };
    const iso = (ms: number) => new Date(ms).toISOString();
    return { firstUsedAt: iso(times[0]!), lastUsedAt: iso(Math.max(...times)) };
  }
}
