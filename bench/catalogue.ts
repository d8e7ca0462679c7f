import type { Scenario } from './scenario.ts';
import { audit } from './scenarios/audit.ts';
import { cluster } from './scenarios/cluster.ts';
import { create } from './scenarios/create.ts';
import { dashboardKeys } from './scenarios/dashboard-keys.ts';
import { deliveries } from './scenarios/deliveries.ts';
import { deliveriesHanging } from './scenarios/deliveries-hanging.ts';
import { deliveriesWaiting } from './scenarios/deliveries-waiting.ts';
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
import { threads } from './scenarios/threads.ts';
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
  entry('threads', threads, 42, 16),
  entry('create', create, 16, 8),
  entry('usage-tally', usageTally, 45, 13),
  entry('audit', audit, 40, null),
  entry('middleware', middleware, 20, 14),
  entry('cluster', cluster, 54, null),
  entry('local', local, 58, null),
  entry('soak', soak, 88, null),
  entry('memory', memory, 17, null),
  entry('start', start, 28, null),
  entry('usage-distinct', usageDistinct, 55, null),
  entry('usage-totals', usageTotals, 25, null),
  entry('import', importing, 40, null),
  entry('revocation', revocation, 26, null),
  entry('deliveries', deliveries, 26, null),
  entry('deliveries-hanging', deliveriesHanging, 29, null),
  entry('deliveries-waiting', deliveriesWaiting, 19, null),
  entry('validation-while-delivering', validationWhileDelivering, 36, null),
  entry('logins', logins, 55, null),
  entry('local-revocation', localRevocation, 11, null),
  entry('list', list, 7, null),
  entry('dashboard-keys', dashboardKeys, 24, null),
];
