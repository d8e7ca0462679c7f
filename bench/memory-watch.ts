import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage } from './inspector.ts';
import { rssBytes } from './process-figures.ts';

const MB = 2 ** 20;
/** To look costs a collection, which all who ask meanwhile wait for. */
const LOOK_EVERY_MS = 5_000;
const LOOKS_MAX = 120;

interface Look {
  /** In minutes since it began. */
  readonly at: number;
  /** In MB. */
  readonly value: number;
}

/**
 * Looks at the memory now and then, as it is and without garbage. Collecting it is left to V8 for
 * minutes, and what has gathered until then is no growth; it is collected from outside for a look.
 */
export class MemoryWatch {
  readonly kept: Look[] = [];
  readonly withGarbage: number[] = [];
  readonly #end = new AbortController();
  readonly #looking: Promise<void>;

  constructor(pid: number, inspector: number, seconds: number) {
    this.#looking = this.#look(pid, inspector, seconds);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#looking;
  }

  async #look(pid: number, inspector: number, seconds: number): Promise<void> {
    const startedAt = performance.now();
    const { signal } = this.#end;
    const pauseMs = Math.max(LOOK_EVERY_MS, (seconds * 1000) / LOOKS_MAX);
    while (!signal.aborted) {
      this.withGarbage.push(rssBytes(pid) / MB);
      await collectGarbage(inspector);
      const at = (performance.now() - startedAt) / 60_000;
      this.kept.push({ at, value: rssBytes(pid) / MB });
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}
