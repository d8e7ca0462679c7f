import type { Insertable, Selectable } from 'kysely';
import type { AuditLogTable, AuditSealsTable } from '../../storage/schema/audit.ts';

export type AuditRow = Selectable<AuditLogTable>;

/** One link of the chain: a row, its position and the time of its sealing. */
export interface Link {
  readonly position: number;
  readonly sealedAt: number;
  readonly row: AuditRow;
}

/** A hash keyed with a secret of the installation: write access to the database is not enough to forge it. */
export type HashLink = (text: string) => string;

/** The hash before the first link. */
export const NO_HASH = '';

/** The order is part of the hash and must never change. */
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

/** A JSON array distinguishes numbers, strings and null, so different links have different texts. */
export function linkText(previousHash: string, { position, sealedAt, row }: Link): string {
  const fields: unknown[] = [previousHash, position, sealedAt];
  for (const column of AUDIT_COLUMNS) fields.push(row[column]);
  return JSON.stringify(fields);
}

export const hashOfLink = (hashLink: HashLink, previousHash: string, link: Link): string =>
  hashLink(linkText(previousHash, link));

/** Consecutive links of the chain. */
export interface Links {
  /** Position, seq and hash of the last link. */
  readonly position: number;
  readonly seq: number;
  readonly hash: string;
  /** One line for each link, as `parseLinks` reads it. */
  readonly lines: string;
}

/** Links at least one row to the chain that ends with `head`. */
export function linksAfter(
  head: { readonly position: number; readonly hash: string },
  rows: readonly AuditRow[],
  sealedAt: number,
  hashLink: HashLink,
): Links {
  let { position, hash } = head;
  const lines = rows.map((row) => {
    position += 1;
    hash = hashOfLink(hashLink, hash, { position, sealedAt, row });
    return `${row.seq} ${hash}`;
  });
  return { position, seq: rows.at(-1)!.seq, hash, lines: lines.join('\n') };
}

/** One seal for all links. The last link is in columns of its own, the others are in `links`. */
export function sealOf(
  { position, seq, hash, lines }: Links,
  sealedAt: number,
): Insertable<AuditSealsTable> {
  const last = lines.lastIndexOf('\n');
  const links = last < 0 ? null : lines.slice(0, last);
  return { position, audit_seq: seq, hash, sealed_at: sealedAt, links };
}

const LINK = /^(\d{1,15}) (\S+)$/;

/** The links of a seal without the last; null if the text was not written by a sealer. */
export function parseLinks(text: string | null): { auditSeq: number; hash: string }[] | null {
  if (text === null) return [];
  const matches = text.split('\n').map((line) => LINK.exec(line));
  const links = matches.flatMap((match) =>
    match === null ? [] : [{ auditSeq: Number(match[1]), hash: match[2]! }],
  );
  return links.length === matches.length ? links : null;
}
