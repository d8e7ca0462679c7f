import type { KeyOutcome, Outcome } from '../../src/features/analytics/outcomes.ts';
import { generateValue } from '../../src/kernel/key-values.ts';
import type { SeededRandom } from '../faults/seeded-random.ts';
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

/** Two projects with keys of every usual outcome, and access keys of both levels. */
export class UsageWorld {
  readonly test: TestApp;
  readonly validations: RecordedValidation[] = [];
  readonly keys: KnownKey[] = [];
  readonly callers: Caller[] = [];
  readonly projects: { id: string; name: string; env: string; createdAt: number }[] = [];

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
    this.keys.push({ ...known, createdAt: clock.now });
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
      this.validations.push({ at, outcome, key: isVisible ? each : null, accessKeyId: caller.id });
    }
  }

  usesOf(key: KnownKey): { firstUsedAt: string | null; lastUsedAt: string | null } {
    const times = this.validations
      .filter((each) => each.key?.id === key.id && each.outcome === 'valid')
      .map(({ at }) => at);
    if (times.length === 0) return { firstUsedAt: null, lastUsedAt: null };
    const iso = (ms: number) => new Date(ms).toISOString();
    return { firstUsedAt: iso(times[0]!), lastUsedAt: iso(Math.max(...times)) };
  }
}
