import { startKeyward } from '../keyward.ts';
import { Load, writeValidations } from '../load.ts';
import { createFolder } from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { ratios } from '../statistics.ts';

const KEYS = 100;
/** So large that no request is refused. */
const AMOUNT = 1_000_000_000;
const WINDOWS = { second: 1, minute: 60, day: 86_400 };
const LIMITS = Object.entries(WINDOWS).map(([name, rateLimitTtl]) => ({
  name,
  rateLimit: AMOUNT,
  rateLimitTtl,
}));

/** Keys with three limits and credits, compared with keys that have one limit. */
export const credits: Scenario = async (bench) => {
  const keyward = await startKeyward(createFolder());
  const create = async (path: string, body: object) => {
    const response = await keyward.request('POST', path, body);
    if (response.status !== 201) throw new Error(`POST ${path} returned ${response.status}.`);
    return (await response.json()) as { id: string; key: string };
  };
  const createLoad = async (name: string, fields: object): Promise<Load> => {
    const keys: string[] = [];
    for (let n = 0; n < KEYS; n++) keys.push((await create('/api-keys', { name, ...fields })).key);
    return new Load({ ...keyward, requestsFile: writeValidations(keyward.folder, name, keys) });
  };
  const plan = await create('/plans', {
    name: 'Paid',
    limits: LIMITS,
    credits: { amount: AMOUNT, interval: 'month' },
  });
  const oneLimit = await createLoad('one-limit', { limits: LIMITS.slice(1, 2) });
  const paid = await createLoad('paid', { planId: plan.id });
  const loads = [oneLimit, paid];
  // Twice: the first pass fills the cache, the second lets the compiler see cache hits.
  for (const load of [...loads, ...loads]) await load.runRequests(20 * KEYS);
  await bench.takeTurns(loads.map((load) => () => load.measure(bench.scale.turnSeconds)));
  const [oneLimitCpu, paidCpu] = loads.map((load) => load.values('cpuMicrosPerRequest'));
  return [
    row(
      'validations with three limits and credits per CPU second compared with one limit',
      '×',
      ratios(oneLimitCpu!, paidCpu!),
      { atLeast: 0.7 },
    ),
    row('with three limits and credits: CPU per request', 'µs', paidCpu!),
  ];
};
