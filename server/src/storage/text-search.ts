import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Text that stands for itself in a LIKE pattern. */
export const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

/** A column that contains the text, ignoring case. The database lowers both sides, so that both follow the same rules. */
export const containing = (column: string, text: string): RawBuilder<SqlBool> =>
  sql`lower(${sql.ref(column)}) like lower(${`%${escaped(text)}%`}) escape '\\'`;
