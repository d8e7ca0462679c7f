import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Escapes text, so that a LIKE pattern matches exactly this text. */
const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

/**
 * True if the column contains the text, ignoring the case of A–Z: `lower` changes no other letters in our
 * columns.
 */
export const containing = (column: string, text: string): RawBuilder<SqlBool> =>
  sql`lower(${sql.ref(column)}) like ${`%${escaped(lowered(text))}%`} escape '\\'`;

/** The same, at the beginning of the column. */
export const beginningWith = (column: string, text: string): RawBuilder<SqlBool> =>
  sql`lower(${sql.ref(column)}) like ${`${escaped(lowered(text))}%`} escape '\\'`;

/** Whether the JSON array in a column has this text as an element. `like` would ignore case on SQLite. */
export function hasElement(column: string, text: string): RawBuilder<SqlBool> {
  const elements = sql`',' || substr(${sql.ref(column)}, 2)`;
  return sql`replace(${elements}, ${`,${JSON.stringify(text)}`}, '') <> ${elements}`;
}

const lowered = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
