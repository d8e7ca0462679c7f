import { setTimeout as sleep } from 'node:timers/promises';
import { freshDataset } from '../dataset.ts';
import { collectGarbage, inspectorFlags } from '../inspector.ts';
import { writeKeys } from '../keys-file.ts';
import { startServer } from '../keyward-server.ts';
import { Lane } from '../lane.ts';
import { settledRss } from '../process-figures.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';

const WARM_KEYS = 1_000;
const KB = 1024;

/** What one cached key adds to the memory of a server that was already at work. */
export const memory: Scenario = async (bench) => {
  const dataset = await freshDataset(bench.scale.cachedKeys);
  const warmKeys = dataset.keys.slice(0, WARM_KEYS);
  const measuredKeys = dataset.keys.slice(WARM_KEYS);
  const inspector = await inspectorFlags();
  const server = await startServer(dataset.folder, { nodeFlags: inspector.flags });
  const settled = async (): Promise<number> => {
    // The flush of first and last uses is over, and what it used is garbage.
    await sleep(1_000);
    await collectGarbage(inspector.port);
    return settledRss(server.pid, 5, 200);
  };
  const lane = (name: string, keys: readonly string[]): Lane => {
    const keysFile = writeKeys(dataset.folder, name, keys);
    return new Lane({ port: server.port, pids: [server.pid], keysFile, pauseMs: 0 });
  };
  try {
    bench.say('warming up');
    // As many as are measured, so that what any load costs is in the base.
    await lane('warm', warmKeys).fill(measuredKeys.length);
    const base = await settled();
    await lane('measured', measuredKeys).fill(measuredKeys.length);
    const after = await settled();
    const perKey = (after - base) / measuredKeys.length / KB;
    return [
      row('memory: RSS per cached key', 'KB', perKey, { atMost: 1.5 }),
      row('memory: RSS before', 'MB', base / KB ** 2),
      row('memory: RSS with all keys cached', 'MB', after / KB ** 2),
    ];
  } finally {
    await server.stop();
    dataset.remove();
  }
};
