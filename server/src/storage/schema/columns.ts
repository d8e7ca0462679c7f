import type { ColumnType } from 'kysely';

/** 0 or 1. */
export type Flag = 0 | 1;

/** Set when the row is inserted. */
export type Immutable<T> = ColumnType<T, T, never>;

/** Of a resource that belongs to a project. */
export interface ProjectColumns {
  id: Immutable<string>;
  account_id: Immutable<string>;
  project_id: Immutable<string>;
  created_at: Immutable<number>;
  updated_at: number;
}
