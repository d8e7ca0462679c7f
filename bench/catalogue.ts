import type { Scenario } from './scenario.ts';
import { audit } from './scenarios/audit.ts';
import { cluster } from './scenarios/cluster.ts';
import { create } from './scenarios/create.ts';
import { dashboardKeys } from './scenarios/dashboard-keys.ts';
import { deliveries } from './scenarios/deliveries.ts';
import { deliveriesHanging } from './scenarios/deliveries-hanging.ts';
import { deliveriesWaiting } from './scenarios/deliveries-waiting.ts';
import { fairness } from './scenarios/fairness.ts';
import { importing } from './scenarios/import.ts';
import { list } from './scenarios/list.ts';
import { local } from './scenarios/local.ts';
import { localRevocation } from './scenarios/local-revocation.ts';
import { logins } from './scenarios/logins.ts';
import { memory } from './scenarios/memory.ts';
import { middleware } from './scenarios/middleware.ts';
import { revocation } from './scenarios/revocation.ts';
import { soak } from './scenarios/soak.ts';
import { start } from './scenarios/start.ts';
import { usageDistinct } from './scenarios/usage-distinct.ts';
import { usageTally } from './scenarios/usage-tally.ts';
import { usageTotals } from './scenarios/usage-totals.ts';
import { validation } from './scenarios/validation.ts';
import { validationWhileDelivering } from './scenarios/validation-while-delivering.ts';

export interface Entry {
  readonly name: string;
  readonly run: Scenario;
  /** Seconds of a full run that it may take. */
  readonly seconds: number;
  /** Seconds of a quick run; null: it cannot be made small, and is left out. */
  readonly quickSeconds: number | null;
}

const entry = (name: string, run: Scenario, seconds: number, quickSeconds: number | null) => ({
  name,
  run,
  seconds,
  quickSeconds,
});

/** The most important first: a run that is short of time leaves out what comes last. */
export const CATALOGUE: readonly Entry[] = [
  entry('validation', validation, 106, 36),
  entry('create', create, 14, 8),
  entry('fairness', fairness, 15, null),
  entry('usage-tally', usageTally, 44, 13),
  entry('audit', audit, 39, null),
  entry('middleware', middleware, 20, 14),
  entry('cluster', cluster, 64, null),
  entry('local', local, 44, null),
  entry('soak', soak, 92, null),
  entry('memory', memory, 20, null),
  entry('start', start, 36, null),
  entry('usage-distinct', usageDistinct, 41, null),
  entry('usage-totals', usageTotals, 17, null),
  entry('import', importing, 46, null),
  entry('revocation', revocation, 16, null),
  entry('deliveries', deliveries, 33, null),
  entry('deliveries-hanging', deliveriesHanging, 29, null),
  entry('deliveries-waiting', deliveriesWaiting, 22, null),
  entry('validation-while-delivering', validationWhileDelivering, 30, null),
  entry('logins', logins, 54, null),
  entry('local-revocation', localRevocation, 16, null),
  entry('list', list, 8, null),
  entry('dashboard-keys', dashboardKeys, 28, null),
];
