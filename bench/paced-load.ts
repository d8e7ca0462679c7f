import { fileURLToPath } from 'node:url';
import { LOAD_CORE, startChild, stopChild } from './children.ts';
import { TalkingChild } from './talking-child.ts';

const CLIENT = fileURLToPath(new URL('peers/paced-validations.ts', import.meta.url));

export interface Paced {
  readonly answered: number;
  readonly failures: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

/** Validations at an even pace, from a process of its own. */
export class PacedLoad {
  readonly #child: TalkingChild;

  constructor(port: number, keysFile: string, perSecond: number) {
    const args = [CLIENT, String(port), keysFile, String(Math.round(perSecond))];
    const child = startChild(process.execPath, args, { core: LOAD_CORE, talks: true });
    this.#child = new TalkingChild(child);
  }

  drive(seconds: number): Promise<Paced> {
    return this.#child.ask<Paced>(String(seconds));
  }

  stop(): Promise<void> {
    return stopChild(this.#child.child);
  }
}
