import { createDataset, editDatabase } from '../dataset.ts';
import { startKeyward } from '../keyward.ts';
import { Load, writeRequests } from '../load.ts';
import { program } from '../peers.ts';
import { SERVER_CORE, Worker } from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { ratios } from '../statistics.ts';

const BODY = JSON.stringify({ name: 'Benchmark', customAccountId: 'customer-1' });
/** Longer than the interval in which audit rows are sealed: each turn pays for its own rows. */
const SEALING_PAUSE_MS = 700;
const WARM_UP_RUNS = 4;

/**
 * Keys created by 32 callers, compared with durable commits one after the other; and the CPU time of
 * a server that stores and seals audit rows compared with one whose database ignores them.
 */
export const create: Scenario = async (bench) => {
  const { turnSeconds } = bench.scale;
  const [audited, unaudited, bare] = [
    await createDataset(0),
    await createDataset(0),
    await createDataset(0),
  ];
  editDatabase(unaudited.folder, (database) =>
    database.exec(`CREATE TRIGGER ignore_audit BEFORE INSERT ON audit_log
      BEGIN SELECT RAISE(IGNORE); END`),
  );
  const requestsFile = writeRequests(audited.folder, 'create', [`/api-keys\t${BODY}`]);
  const start = async (folder: string): Promise<Load> => {
    const { port, pid } = await startKeyward(folder, { core: null });
    return new Load({ port, pid, requestsFile, connections: 32, pauseMs: SEALING_PAUSE_MS });
  };
  const ours = await start(audited.folder);
  const withoutAudit = await start(unaudited.folder);
  const commits = new Worker([program('bare-commits'), bare.folder], SERVER_CORE);
  const rates: number[] = [];
  const commit = async () =>
    rates.push((await commits.request<{ perSecond: number }>(String(turnSeconds))).perSecond);

  for (let n = 0; n < WARM_UP_RUNS; n++)
    for (const load of [ours, withoutAudit]) await load.run(turnSeconds);
  await commit();
  rates.length = 0;
  await bench.takeTurns([
    commit,
    () => ours.measure(turnSeconds),
    () => withoutAudit.measure(turnSeconds),
  ]);
  const cpu = ratios(
    withoutAudit.values('cpuMicrosPerRequest'),
    ours.values('cpuMicrosPerRequest'),
  );
  return [
    row('keys created compared with single durable commits', '×', ratios(speed(ours), rates), {
      atLeast: 0.4,
    }),
    row('keys created per CPU second, audit log on compared with off', '×', cpu, {
      atLeast: 0.75,
    }),
    row('keys created', 'keys/s', speed(ours)),
    row('single durable commits', 'commits/s', rates),
    row('CPU per created key', 'µs', ours.values('cpuMicrosPerRequest')),
  ];
};

const speed = (load: Load): number[] => load.values('perSecond');
