import type { Scenario } from '../scenario.ts';
import { batch } from './batch.ts';
import { create } from './create.ts';
import { credits } from './credits.ts';
import { deliveries } from './deliveries.ts';
import { edge } from './edge.ts';
import { fairness } from './fairness.ts';
import { inProcess } from './in-process.ts';
import { limited } from './limited.ts';
import { memory } from './memory.ts';
import { malformed, unknown } from './rejected.ts';
import { revocation } from './revocation.ts';
import { start } from './start.ts';
import { storedKeys } from './stored-keys.ts';
import { usage } from './usage.ts';
import { usageCost } from './usage-cost.ts';
import { validation } from './validation.ts';

/** In the order of a run. `seconds`: after these, a scenario does no more rounds than it must. */
export const SCENARIOS: readonly { name: string; run: Scenario; seconds: number }[] = [
  { name: 'validation', run: validation, seconds: 80 },
  { name: 'malformed', run: malformed, seconds: 20 },
  { name: 'unknown', run: unknown, seconds: 25 },
  { name: 'batch', run: batch, seconds: 25 },
  { name: 'create', run: create, seconds: 45 },
  { name: 'fairness', run: fairness, seconds: 20 },
  { name: 'in-process', run: inProcess, seconds: 45 },
  { name: 'edge', run: edge, seconds: 60 },
  { name: 'revocation', run: revocation, seconds: 20 },
  { name: 'limited', run: limited, seconds: 40 },
  { name: 'credits', run: credits, seconds: 20 },
  { name: 'deliveries', run: deliveries, seconds: 40 },
  { name: 'usage-cost', run: usageCost, seconds: 30 },
  { name: 'stored-keys', run: storedKeys, seconds: 60 },
  { name: 'usage', run: usage, seconds: 60 },
  { name: 'memory', run: memory, seconds: 20 },
  { name: 'start', run: start, seconds: 30 },
];
