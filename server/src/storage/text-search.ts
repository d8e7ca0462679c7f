import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Text that stands for itself in a LIKE pattern. */
export const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

/** A column that contains the text, ignoring the case of A–Z: `lower` changes no other letters of our columns. */
export const containing = (column: string, text: string): RawBuilder<SqlBool> =>
  sql`lower(${sql.ref(column)}) like ${`%${escaped(lowered(text))}%`} escape '\\'`;

const lowered = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
