import { shareOf } from './budget.ts';
import type { Step } from './plan.ts';
import type { Section } from './report/report.ts';
import { leftOut } from './rows.ts';
import { benchFor, type Scale } from './scenario.ts';

interface Run {
  readonly steps: readonly Step[];
  readonly scale: Scale;
  readonly limitSeconds: number;
  readonly profileFile: string | null;
}

/** With less than this of its time, a scenario would not be begun for a result. */
const ENOUGH = 0.6;

/**
 * One scenario after the other. One that fails is a bar that does not hold, and no reason to lose
 * the figures of the others; what no time was left for neither.
 */
export async function carryOut({
  steps,
  scale,
  limitSeconds,
  profileFile,
}: Run): Promise<Section[]> {
  const endsAt = performance.now() + limitSeconds * 1000;
  const sections: Section[] = [];
  for (const [n, step] of steps.entries()) {
    const { name } = step.entry;
    if ('leftOut' in step) {
      sections.push({ scenario: name, seconds: 0, rows: [leftOut(name, step.leftOut)] });
      continue;
    }
    const startedAt = performance.now();
    const left = (endsAt - startedAt) / 1000;
    if (left < ENOUGH * step.seconds) {
      sections.push({
        scenario: name,
        seconds: 0,
        rows: [leftOut(name, 'no time was left', true)],
      });
      continue;
    }
    const bench = benchFor(name, scale, shareOf(left, secondsFrom(steps, n)), profileFile);
    bench.say('begins');
    const rows = await Promise.race([
      step.entry.run(bench).catch((error: unknown) => [leftOut(name, messageOf(error), true)]),
      overrun(name, left),
    ]);
    const seconds = (performance.now() - startedAt) / 1000;
    bench.say(`took ${seconds.toFixed(1)} of ${step.seconds} s`);
    sections.push({ scenario: name, seconds, rows });
  }
  return sections;
}

const secondsFrom = (steps: readonly Step[], n: number): number[] =>
  steps.slice(n).flatMap((step) => ('leftOut' in step ? [] : [step.seconds]));

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message.split('\n', 1)[0]! : String(error);

/** The children of what overran die with the benchmark, which has no time for others then. */
async function overrun(name: string, seconds: number) {
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000).unref());
  return [leftOut(name, 'took longer than the whole run may', true)];
}
