import type { Cacheable } from '../../cluster/coherent-cache.ts';
import type { GroupWords } from '../../cluster/counters.ts';
import { wordsOf } from '../../cluster/group-code.ts';
import { UsedKey } from '../analytics/index.ts';
import { type KeyRow, validatedKey } from '../api-keys/index.ts';
import type { ProjectState } from '../projects/index.ts';
import { bodyLines } from './body-headers.ts';

/** Objects, map slots and strings around the body, measured at about this much. */
const OVERHEAD_BYTES = 540;

/**
 * A key as a validation needs it: flags and times to decide by, and the answer already written. A
 * validation takes most of its time to fetch this from far memory: what it asks of every key stands
 * together, and what is seldom there is null, not a number that would be an object of its own.
 */
export class PreparedKey extends UsedKey implements Cacheable, GroupWords {
  readonly seq: number;
  readonly project: ProjectState;
  readonly isActive: boolean;
  readonly expiresAt: number | null;
  readonly allowedDomains: readonly string[] | null;
  /** 0: no limit. */
  readonly rateLimit: number;
  readonly rateLimitTtlMs: number;
  readonly limitGroup: string;
  /** Of the group. */
  readonly spread: number;
  readonly word0: number;
  readonly word1: number;
  readonly word2: number;
  readonly word3: number;
  readonly word4: number;
  /** Lines of the head that tell of the body, and the end of the head. */
  readonly bodyLines: string;
  readonly body: string;
  readonly bodyBytes: number;
  readonly encoding: 'latin1' | 'utf8';
  /** Written by the usage tally. */
  firstUsedAt: number | null;
  readonly id: string;

  constructor(row: KeyRow, project: ProjectState) {
    super();
    this.seq = row.seq;
    this.project = project;
    this.isActive = row.is_active === 1;
    this.expiresAt = row.expires_at;
    this.allowedDomains = row.allowed_domains === null ? null : JSON.parse(row.allowed_domains);
    this.rateLimit = row.rate_limit ?? 0;
    this.rateLimitTtlMs = (row.rate_limit_ttl ?? 0) * 1000;
    this.limitGroup = row.limit_group;
    const words = wordsOf(row.limit_group);
    this.spread = words.spread;
    this.word0 = words.word0;
    this.word1 = words.word1;
    this.word2 = words.word2;
    this.word3 = words.word3;
    this.word4 = words.word4;
    const body = JSON.stringify(validatedKey(row));
    this.bodyBytes = Buffer.byteLength(body);
    this.bodyLines = bodyLines(this.bodyBytes);
    this.body = body;
    this.encoding = this.bodyBytes === body.length ? 'latin1' : 'utf8';
    this.firstUsedAt = row.first_used_at;
    // Mostly the same, and then one text is enough.
    this.id = row.limit_group === row.id ? row.limit_group : row.id;
  }

  get bytes(): number {
    return this.body.length + OVERHEAD_BYTES;
  }

  get stale(): boolean {
    return this.project.stale;
  }
}
