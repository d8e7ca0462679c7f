import type { Cacheable } from '../../cluster/coherent-cache.ts';
import { UsedKey } from '../analytics/index.ts';
import { type KeyRow, validatedKey } from '../api-keys/index.ts';
import type { ProjectState } from '../projects/index.ts';
import { bodyLines } from './body-headers.ts';

/** Objects, map slots and strings around the body, measured at about this much. */
const OVERHEAD_BYTES = 540;

/** A key as a validation needs it: flags and times to decide by, and the answer already written. */
export class PreparedKey extends UsedKey implements Cacheable {
  readonly seq: number;
  readonly id: string;
  readonly isActive: boolean;
  readonly expiresAt: number;
  /** 0: no limit. */
  readonly rateLimit: number;
  readonly rateLimitTtlMs: number;
  readonly limitGroup: string;
  readonly allowedDomains: readonly string[] | null;
  /** The end of the answer: the lines of its head that tell of the body, and the body. */
  readonly written: string;
  /** Length of the body in bytes, as the header wants it. */
  readonly contentLength: string;
  readonly #bodyLength: number;
  readonly encoding: 'latin1' | 'utf8';
  readonly project: ProjectState;
  /** Written by the usage tally. */
  firstUsedAt: number | null;

  constructor(row: KeyRow, project: ProjectState) {
    super();
    this.seq = row.seq;
    this.id = row.id;
    this.isActive = row.is_active === 1;
    this.expiresAt = row.expires_at ?? Number.POSITIVE_INFINITY;
    this.rateLimit = row.rate_limit ?? 0;
    this.rateLimitTtlMs = (row.rate_limit_ttl ?? 0) * 1000;
    this.limitGroup = row.limit_group;
    this.allowedDomains = row.allowed_domains === null ? null : JSON.parse(row.allowed_domains);
    const body = JSON.stringify(validatedKey(row));
    const bytes = Buffer.byteLength(body);
    this.contentLength = String(bytes);
    this.encoding = bytes === body.length ? 'latin1' : 'utf8';
    this.written = `${bodyLines(this.contentLength)}\r\n${body}`;
    this.#bodyLength = body.length;
    this.project = project;
    this.firstUsedAt = row.first_used_at;
  }

  get body(): string {
    return this.written.slice(-this.#bodyLength);
  }

  get bytes(): number {
    return this.written.length + OVERHEAD_BYTES;
  }

  get stale(): boolean {
    return this.project.stale;
  }
}
