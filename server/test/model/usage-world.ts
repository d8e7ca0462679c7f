import type { Outcome } from '../../src/features/analytics/outcomes.ts';
import { generateValue } from '../../src/kernel/key-values.ts';
import type { SeededRandom } from '../faults/seeded-random.ts';
import type { TestApp } from '../harness/test-app.ts';
import type { TestClient } from '../harness/test-client.ts';
import type { Happening, KnownKey } from './usage-recount.ts';

interface Asker {
  readonly id: string;
  readonly name: string;
  readonly client: TestClient;
  /** null: account level. */
  readonly projectId: string | null;
}

/** What a key is made to be answered with, mostly. */
type Nature = 'valid' | 'rate_limited' | 'revoked' | 'expired' | 'domain_denied';

const NATURES: readonly Nature[] = [
  'valid',
  'valid',
  'rate_limited',
  'revoked',
  'expired',
  'domain_denied',
];

/** What each answer is counted as. */
const OUTCOMES: Record<string, Outcome> = {
  valid: 'valid',
  rate_limited: 'rate_limited',
  key_revoked: 'revoked',
  key_expired: 'expired',
  domain_denied: 'domain_denied',
  key_not_found: 'unknown',
  key_malformed: 'malformed',
};

/** Two projects with keys of every nature, and access keys of both levels that ask for them. */
export class UsageWorld {
  readonly test: TestApp;
  readonly happenings: Happening[] = [];
  readonly keys: KnownKey[] = [];
  readonly askers: Asker[] = [];
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
    const first_ = (await client.get('/access-keys')).body.find(
      (key: { name: string }) => key.name === 'First access key',
    );
    this.askers.push({ id: first_.id, name: first_.name, client, projectId: null });
    for (const project of [first.id, second.id])
      for (const [n, nature] of NATURES.entries()) await this.#key(project, nature, n);
  }

  async #access(name: string, projectId: string | null): Promise<void> {
    const { client } = this.test;
    const { body } = await client.post('/access-keys', { name, projectId });
    this.askers.push({ id: body.id, name, client: client.as(body.key), projectId });
  }

  async #key(projectId: string, nature: Nature, n: number): Promise<void> {
    const { client, clock } = this.test;
    const { body } = await client.post('/api-keys', {
      name: `Key ${'cabfed'[n]}`,
      projectId,
      ...(n % 3 !== 0 && { customAccountId: `customer ${n % 3}` }),
      ...(n % 2 !== 0 && { customUserId: `user ${n}` }),
      ...(nature === 'rate_limited' && { rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 3600 } }),
      ...(nature === 'expired' && { expiry: new Date(clock.now + 1).toISOString() }),
      ...(nature === 'domain_denied' && { allowedDomains: ['nobody.example'] }),
    });
    if (nature === 'revoked') await client.delete(`/api-keys/${body.id}`);
    const { id, key, name, env, customAccountId, customUserId } = body;
    const mask = (await client.get(`/api-keys/${id}`)).body.key;
    const known = { id, value: key, name, mask, projectId, env, customAccountId, customUserId };
    this.keys.push({ ...known, createdAt: clock.now });
  }

  /** One call that validates a few values, known and not; what it answers is what happened. */
  async validate(random: SeededRandom, most: number): Promise<void> {
    const asker = random.pick(this.askers);
    const at = this.test.clock.now;
    const asked: (KnownKey | string)[] = [];
    for (let n = 1 + random.below(most); n > 0; n--) {
      const kind = random.below(20);
      if (kind < 18) asked.push(random.pick(this.keys));
      else asked.push(kind === 18 ? generateValue('live_') : 'not a value at all');
    }
    const keys = asked.map((each) => (typeof each === 'string' ? each : each.value));
    const { body } = await asker.client.post('/api-keys/auth', { keys });
    for (const [n, { code }] of (body as { code: string }[]).entries()) {
      const outcome = OUTCOMES[code];
      if (outcome === undefined) throw new Error(`A key was answered with ${code}.`);
      const each = asked[n]!;
      const isSeen = typeof each !== 'string' && outcome !== 'unknown';
      this.happenings.push({ at, outcome, key: isSeen ? each : null, accessKeyId: asker.id });
    }
  }

  usesOf(key: KnownKey): { firstUsedAt: string | null; lastUsedAt: string | null } {
    const times = this.happenings
      .filter((each) => each.key?.id === key.id && each.outcome === 'valid')
      .map(({ at }) => at);
    if (times.length === 0) return { firstUsedAt: null, lastUsedAt: null };
    const iso = (ms: number) => new Date(ms).toISOString();
    return { firstUsedAt: iso(times[0]!), lastUsedAt: iso(Math.max(...times)) };
  }
}
