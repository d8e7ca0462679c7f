import type { Scenario } from '../scenario.ts';
import { batch } from './batch.ts';
import { create } from './create.ts';
import { credits } from './credits.ts';
import { deliveries } from './deliveries.ts';
import { edge } from './edge.ts';
import { fair } from './fair.ts';
import { inProcess } from './in-process.ts';
import { limited, unlimited } from './limited.ts';
import { lists } from './lists.ts';
import { memory } from './memory.ts';
import { malformed, unknown } from './rejected.ts';
import { revocation } from './revocation.ts';
import { start } from './start.ts';
import { storedKeys, storedKeysStart } from './stored-keys.ts';
import { usage } from './usage.ts';
import { usageCost } from './usage-cost.ts';
import { validation } from './validation.ts';
import { warmUp } from './warm-up.ts';

interface NamedScenario {
  readonly name: string;
  readonly run: Scenario;
  /** After this time, a scenario runs no more rounds than it must. */
  readonly seconds: number;
  /** Runs only with `--all`, or by name. */
  readonly isExtra?: boolean;
}

/** In the order of a run. Without the extra ones, a run takes about 9 minutes. */
export const SCENARIOS: readonly NamedScenario[] = [
  { name: 'validation', run: validation, seconds: 65 },
  { name: 'malformed', run: malformed, seconds: 15 },
  { name: 'unknown', run: unknown, seconds: 20 },
  { name: 'batch', run: batch, seconds: 20 },
  { name: 'create', run: create, seconds: 35 },
  { name: 'fair', run: fair, seconds: 180, isExtra: true },
  { name: 'lists', run: lists, seconds: 40, isExtra: true },
  { name: 'in-process', run: inProcess, seconds: 35 },
  { name: 'warm-up', run: warmUp, seconds: 60, isExtra: true },
  { name: 'edge', run: edge, seconds: 60, isExtra: true },
  { name: 'revocation', run: revocation, seconds: 20 },
  { name: 'limited', run: limited, seconds: 25 },
  { name: 'unlimited', run: unlimited, seconds: 25, isExtra: true },
  { name: 'credits', run: credits, seconds: 20, isExtra: true },
  { name: 'deliveries', run: deliveries, seconds: 35 },
  { name: 'usage-cost', run: usageCost, seconds: 25 },
  { name: 'stored-keys-start', run: storedKeysStart, seconds: 30, isExtra: true },
  { name: 'stored-keys', run: storedKeys, seconds: 50 },
  { name: 'usage', run: usage, seconds: 60 },
  { name: 'memory', run: memory, seconds: 20 },
  { name: 'start', run: start, seconds: 25 },
];
