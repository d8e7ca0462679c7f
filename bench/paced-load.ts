import { fileURLToPath } from 'node:url';
import { LOAD_CORE, startChild, stopChild } from './children.ts';
import { TalkingChild } from './talking-child.ts';

const CLIENT = fileURLToPath(new URL('peers/paced-validations.ts', import.meta.url));

export interface Paced {
  readonly answered: number;
  readonly failures: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

/** Validations at an even pace, from a process of its own. */
export class PacedLoad {
  readonly #child: TalkingChild;

  private constructor(child: TalkingChild) {
    this.#child = child;
  }

  static async start(port: number, keysFile: string, perSecond: number): Promise<PacedLoad> {
    const args = [CLIENT, String(port), keysFile, String(Math.round(perSecond))];
    const child = startChild(process.execPath, args, { core: LOAD_CORE, talks: true });
    const load = new PacedLoad(new TalkingChild(child));
    await load.#child.hear();
    // The first requests of a process are slow by themselves.
    await load.drive(1);
    return load;
  }

  drive(seconds: number): Promise<Paced> {
    return this.#child.ask<Paced>(String(seconds));
  }

  stop(): Promise<void> {
    return stopChild(this.#child.child);
  }
}
