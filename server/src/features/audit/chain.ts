import type { Insertable, Selectable } from 'kysely';
import type { AuditLogTable, AuditSealsTable } from '../../storage/schema.ts';

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
export function linkText(previousHash: string, { position, sealedAt, row }: Link): string {
  const told: unknown[] = [previousHash, position, sealedAt];
  for (const column of AUDIT_COLUMNS) told.push(row[column]);
  return JSON.stringify(told);
}

export const hashOfLink = (chain: ChainAudit, previousHash: string, link: Link): string =>
  chain(linkText(previousHash, link));

/** Rows that follow one another in the chain. */
export interface Links {
  /** Place, number and hash of the last of them. */
  readonly position: number;
  readonly seq: number;
  readonly hash: string;
  /** A line for each, as `linksIn` reads it. */
  readonly lines: string;
}

/** The links of rows, at least one, behind the head that is given. */
export function linksAfter(
  head: { readonly position: number; readonly hash: string },
  rows: readonly AuditRow[],
  sealedAt: number,
  chain: ChainAudit,
): Links {
  let { position, hash } = head;
  const lines = rows.map((row) => {
    position += 1;
    hash = hashOfLink(chain, hash, { position, sealedAt, row });
    return `${row.seq} ${hash}`;
  });
  return { position, seq: rows.at(-1)!.seq, hash, lines: lines.join('\n') };
}

/** One seal for all of them: the last is told in its own columns. */
export function sealOf(
  { position, seq, hash, lines }: Links,
  sealedAt: number,
): Insertable<AuditSealsTable> {
  const last = lines.lastIndexOf('\n');
  const links = last < 0 ? null : lines.slice(0, last);
  return { position, audit_seq: seq, hash, sealed_at: sealedAt, links };
}

const LINK = /^(\d{1,15}) (\S+)$/;

/** Rows and hashes before the last of a seal. null: this was not written by a sealer. */
export function linksIn(text: string | null): { auditSeq: number; hash: string }[] | null {
  if (text === null) return [];
  const matches = text.split('\n').map((line) => LINK.exec(line));
  const links = matches.flatMap((match) =>
    match === null ? [] : [{ auditSeq: Number(match[1]), hash: match[2]! }],
  );
  return links.length === matches.length ? links : null;
}
