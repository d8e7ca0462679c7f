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

/**
 * Seals at least one row after the end of the chain. The last row is in columns of its own; `links` has a
 * line for each row before it, as `parseLinks` reads it.
 */
export function sealAfter(
  head: { readonly position: number; readonly hash: string },
  rows: readonly AuditRow[],
  sealedAt: number,
  hashLink: HashLink,
): Insertable<AuditSealsTable> {
  let { position, hash } = head;
  const lines = rows.map((row) => {
    position += 1;
    hash = hashOfLink(hashLink, hash, { position, sealedAt, row });
    return `${row.seq} ${hash}`;
  });
  const links = lines.length === 1 ? null : lines.slice(0, -1).join('\n');
  return { position, audit_seq: rows.at(-1)!.seq, hash, sealed_at: sealedAt, links };
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
