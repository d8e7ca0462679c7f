import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Escapes text, so that a LIKE pattern matches exactly this text. */
export const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

/**
 * True if the column contains the text, ignoring the case of A–Z: `lower` changes no other letters in our
 * columns.
 */
export const containing = (column: string, text: string): RawBuilder<SqlBool> =>
  sql`lower(${sql.ref(column)}) like ${`%${escaped(lowered(text))}%`} escape '\\'`;

const lowered = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
