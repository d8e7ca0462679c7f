import { type AddressRange, parseRange } from '../../../../sdk/src/rules/addresses.ts';
import { Grants, NO_GRANTS } from '../../../../sdk/src/rules/permissions.ts';
import type { Cacheable } from '../../cluster/cache/coherent-cache.ts';
import type { UsedKey } from '../analytics/index.ts';
import { type KeyRow, validatedKey } from '../api-keys/index.ts';
import type { ProjectState } from '../projects/index.ts';
import { bodyLines } from './body-headers.ts';

/** Objects, map entries and strings besides the body: 370 bytes measured, and room for garbage. */
const OVERHEAD_BYTES = 540;
/** Two objects and the bytes of the address. */
const RANGE_BYTES = 160;

const rangesOf = (json: string) =>
  (JSON.parse(json) as string[]).map((text) => ({ ...parseRange(text)!, text }));

/** A key as a validation needs it: what the decision reads, and the response body already rendered. */
export class PreparedKey implements Cacheable, UsedKey {
  readonly seq: number;
  readonly project: ProjectState;
  readonly isActive: boolean;
  readonly expiresAt: number | null;
  readonly startsAt: number | null;
  readonly allowedDomains: readonly string[] | null;
  readonly allowedIPs: readonly (AddressRange & { readonly text: string })[] | null;
  readonly grants: Grants;
  /** 0: no limit. */
  readonly rateLimit: number;
  readonly rateLimitTtlMs: number;
  readonly limitGroup: string;
  /** The header lines that describe the body. */
  readonly bodyLines: string;
  readonly body: string;
  readonly bodyBytes: number;
  readonly encoding: 'latin1' | 'utf8';
  firstUsedAt: number | null;
  readonly id: string;
  readonly #policyBytes: number;

  constructor(row: KeyRow, project: ProjectState) {
    this.seq = row.seq;
    this.project = project;
    this.isActive = row.is_active === 1;
    this.expiresAt = row.expires_at;
    this.startsAt = row.starts_at;
    this.allowedDomains = row.allowed_domains === null ? null : JSON.parse(row.allowed_domains);
    this.allowedIPs = row.allowed_ips === null ? null : rangesOf(row.allowed_ips);
    this.grants = row.permissions === null ? NO_GRANTS : new Grants(JSON.parse(row.permissions));
    this.#policyBytes =
      RANGE_BYTES * (this.allowedIPs?.length ?? 0) + 2 * (row.permissions?.length ?? 0);
    this.rateLimit = row.rate_limit ?? 0;
    this.rateLimitTtlMs = (row.rate_limit_ttl ?? 0) * 1000;
    this.limitGroup = row.limit_group;
    const body = JSON.stringify(validatedKey(row));
    this.bodyBytes = Buffer.byteLength(body);
    this.bodyLines = bodyLines(this.bodyBytes);
    this.body = body;
    this.encoding = this.bodyBytes === body.length ? 'latin1' : 'utf8';
    this.firstUsedAt = row.first_used_at;
    // Usually the same id; then one string is kept instead of two.
    this.id = row.limit_group === row.id ? row.limit_group : row.id;
  }

  get bytes(): number {
    return this.body.length + this.#policyBytes + OVERHEAD_BYTES;
  }

  /** Whether clients that do not know permissions and addresses must leave the decision to the server. */
  get hasPolicies(): boolean {
    return this.grants !== NO_GRANTS || this.allowedIPs !== null || this.startsAt !== null;
  }

  get stale(): boolean {
    return this.project.stale;
  }
}
