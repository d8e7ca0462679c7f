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

/** Whether the JSON array in a column has an element equal to this text. `like` ignores case on SQLite. */
export const hasElement = (column: string, text: string): RawBuilder<SqlBool> =>
  sql`replace(${sql.ref(column)}, ${JSON.stringify(text)}, '') <> ${sql.ref(column)}`;

const lowered = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
