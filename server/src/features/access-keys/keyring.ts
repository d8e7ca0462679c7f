import { hash } from 'node:crypto';
import { CoherentCache } from '../../cluster/cache/coherent-cache.ts';
import type { ChangeFeed } from '../../cluster/change-bus/change-bus.ts';
import type { AccessKeyPrincipal, GrantedScope } from '../../kernel/authority.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { shapeOf } from '../../kernel/secrets/key-values.ts';
import { UsedAccessKey } from '../analytics/index.ts';
import type { ProjectState, ProjectStates } from '../projects/index.ts';
import type { CredentialChecks } from './credential-checks.ts';
import { scopesOf } from './service.ts';
import type { AccessKeyOfProject } from './store.ts';

/** An access key in the cache. */
export class CachedAccessKey extends UsedAccessKey implements AccessKeyPrincipal {
  readonly kind = 'access-key';
  readonly seq: number;
  readonly id: string;
  readonly accountId: string;
  readonly projectId: string | null;
  readonly projectIds: readonly string[] | null;
  readonly scopes: ReadonlySet<GrantedScope>;
  readonly mayValidate: boolean;
  readonly isActive: boolean;
  readonly expiresAt: number;
  readonly rateLimit: number | null;
  readonly rateLimitTtlMs: number;
  readonly bytes = 1024;
  /** Monotonic time in milliseconds. The row includes all changes that were received before this time. */
  readonly readAt = performance.now();
  readonly #project: ProjectState | null;

  constructor(row: AccessKeyOfProject, project: ProjectState | null) {
    super();
    this.seq = row.seq;
    this.id = row.id;
    this.accountId = row.account_id;
    this.projectId = row.project_id;
    this.projectIds = row.project_id === null ? null : [row.project_id];
    this.scopes = new Set(scopesOf(row));
    this.mayValidate = this.scopes.has('*') || this.scopes.has('keys:validate');
    this.isActive = row.is_active === 1;
    this.expiresAt = row.expires_at ?? Number.POSITIVE_INFINITY;
    this.rateLimit = row.rate_limit;
    this.rateLimitTtlMs = (row.rate_limit_ttl ?? 0) * 1000;
    this.#project = project;
  }

  get stale(): boolean {
    return this.#project?.stale ?? false;
  }

  /** Why the access key cannot be used now; null if it can. */
  refusal(now: number): 'credential_revoked' | 'credential_expired' | null {
    if (!this.isActive || this.#project?.isActive === false) return 'credential_revoked';
    return now < this.expiresAt ? null : 'credential_expired';
  }
}

/** Reads an access key of any account by its stored hash; synchronously where the database is embedded. */
type ReadAccessKey = (
  hash: string,
) => AccessKeyOfProject | undefined | Promise<AccessKeyOfProject | undefined>;

const KEYRING_BYTES = 16 * 1024 * 1024;

interface Parts {
  readonly readAccessKey: ReadAccessKey;
  readonly secrets: Secrets;
  readonly bus: ChangeFeed;
  readonly projects: ProjectStates;
  readonly credentialChecks: CredentialChecks;
}

/** Finds access keys by their value, usually in the cache. */
export class Keyring {
  readonly #parts: Parts;
  readonly #cache = new CoherentCache<CachedAccessKey>(KEYRING_BYTES);

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.bus.subscribe((changes) => {
      for (const change of changes) {
        if (change.kind === 'access-key') this.#cache.drop(change.id, change.hash);
        else if (change.kind === 'project') this.#cache.invalidateFills();
        else if (change.kind === 'everything') this.#cache.clear();
      }
    });
  }

  /** From the cache; if undefined, call `find`. */
  cached(value: string): CachedAccessKey | undefined {
    return this.#cache.get(hash('sha256', value, 'latin1'));
  }

  /** From storage. Lookups wait for their turn by the address of the client. */
  async find(value: string, address: string | undefined): Promise<CachedAccessKey | null> {
    if (shapeOf(value) === 'malformed') return null;
    const { readAccessKey, secrets, projects, credentialChecks } = this.#parts;
    const stored = secrets.hashValue(value);
    return this.#cache.fill(hash('sha256', value, 'latin1'), stored, async () => {
      const row = await credentialChecks.run(address, () => readAccessKey(stored));
      if (!row) return null;
      const project =
        row.project_id === null ? null : projects.of(row.project_id, row.project_is_active === 1);
      return new CachedAccessKey(row, project);
    });
  }
}
