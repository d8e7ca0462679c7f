import { findOnPath } from '../../scripts/test-tools.ts';
import { autocannon } from './autocannon.ts';
import type { LoadGenerator } from './load.ts';
import { wrk } from './wrk.ts';

export type { LoadGenerator, LoadResult } from './load.ts';

/** wrk costs less per request and so leaves more for what is measured; autocannon is always there. */
export const loadGenerator = (): LoadGenerator => (findOnPath(['wrk']) === null ? autocannon : wrk);
