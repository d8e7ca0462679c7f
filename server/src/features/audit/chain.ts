import type { Selectable } from 'kysely';
import type { AuditLogTable } from '../../storage/schema.ts';

export type AuditRow = Selectable<AuditLogTable>;

/** One place of the chain: which row stands there, and when it was put there. */
export interface Link {
  readonly position: number;
  readonly sealedAt: number;
  readonly row: AuditRow;
}

/** The keyed hash of the installation: whoever can only write the database cannot make one. */
export type ChainAudit = (text: string) => string;

/** Before the first place. */
export const NO_HASH = '';

/** In this order for good: another order is another hash. */
export const AUDIT_COLUMNS = [
  'seq',
  'id',
  'account_id',
  'project_id',
  'actor_type',
  'actor_id',
  'action',
  'target_type',
  'target_id',
  'before',
  'after',
  'request_id',
  'client_address',
  'user_agent',
  'created_at',
] as const satisfies readonly (keyof AuditRow)[];

/** A JSON array: it tells a number from its text and null from both, and no two links share one. */
export const linkText = (previousHash: string, { position, sealedAt, row }: Link): string =>
  JSON.stringify([previousHash, position, sealedAt, ...AUDIT_COLUMNS.map((column) => row[column])]);

export const hashOfLink = (chain: ChainAudit, previousHash: string, link: Link): string =>
  chain(linkText(previousHash, link));

/** Seals for rows that follow one another, after the head that is given. */
export function sealsAfter(
  head: { readonly position: number; readonly hash: string },
  rows: readonly AuditRow[],
  now: number,
  chain: ChainAudit,
): { position: number; audit_seq: number; hash: string; sealed_at: number }[] {
  let { position, hash } = head;
  return rows.map((row) => {
    position += 1;
    hash = hashOfLink(chain, hash, { position, sealedAt: now, row });
    return { position, audit_seq: row.seq, hash, sealed_at: now };
  });
}
