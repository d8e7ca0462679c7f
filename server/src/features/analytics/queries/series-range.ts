import type { RowRange } from '../../../kernel/paging.ts';
import type { SeriesPosition } from './cursor.ts';

export interface SeriesRange extends RowRange<SeriesPosition> {
  /** Whether the page starts with the series at `after` itself. */
  readonly inclusive: boolean;
}
