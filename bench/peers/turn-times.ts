import { writeFileSync } from 'node:fs';

/**
 * Preloaded into a server: from one SIGUSR2 to the next, measures the CPU time of the main thread in each turn of the
 * event loop, in milliseconds, and writes those of the turns in which something happened to `TURNS_FILE`.
 */
const IDLE_MS = 0.3;

let times: number[] | null = null;
process.on('SIGUSR2', () => {
  if (times === null) {
    times = [];
    measureTurns(times);
    return;
  }
  writeFileSync(process.env.TURNS_FILE!, `${JSON.stringify(times.filter((ms) => ms > IDLE_MS))}\n`);
  times = null;
});

function measureTurns(into: number[]): void {
  let last = process.threadCpuUsage();
  const next = () => {
    const { user, system } = process.threadCpuUsage();
    into.push((user - last.user + system - last.system) / 1000);
    last = process.threadCpuUsage();
    if (times === into) setImmediate(next);
  };
  setImmediate(next);
}
