import type { ColumnType } from 'kysely';

/** 0 or 1. */
export type Flag = 0 | 1;

/** Set when the row is inserted. */
export type Immutable<T> = ColumnType<T, T, never>;
