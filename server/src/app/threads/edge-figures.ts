import type { ValidationOutcomes } from '../../features/validation/index.ts';
import type { HistogramFigures } from '../../http/hot-path/fast-histogram.ts';
import { VALIDATION_TIMES_FIGURES } from '../../http/hot-path/validation-times.ts';

/** What one thread has to tell the metrics. */
export interface EdgeReading {
  readonly outcomes: Readonly<Partial<ValidationOutcomes>>;
  readonly cache: { hits: number; misses: number; entries: number; bytes: number };
  readonly usage: { flushes: number; failures: number };
  readonly overload: { shed: number; inFlight: number };
}

const OUTCOMES = [
  'valid',
  'limited',
  'key_not_found',
  'key_malformed',
  'key_project_inactive',
  'key_revoked',
  'key_expired',
  'domain_denied',
  'failed',
] as const satisfies readonly (keyof ValidationOutcomes)[];
const CACHE = OUTCOMES.length;
const USAGE = CACHE + 4;
const OVERLOAD = USAGE + 2;
const TIMES = OVERLOAD + 2;
const FIGURES = TIMES + VALIDATION_TIMES_FIGURES;

/** Figures in memory that one thread writes and another reads whenever it is asked. */
export class EdgeFigures {
  readonly memory: SharedArrayBuffer;
  readonly #all: Float64Array;

  constructor(memory = new SharedArrayBuffer(FIGURES * Float64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#all = new Float64Array(memory);
  }

  get validationTimes(): HistogramFigures {
    return this.#all.subarray(TIMES);
  }

  write({ outcomes, cache, usage, overload }: EdgeReading): void {
    const { hits, misses, entries, bytes } = cache;
    this.#all.set([
      ...OUTCOMES.map((outcome) => outcomes[outcome] ?? 0),
      ...[hits, misses, entries, bytes],
      ...[usage.flushes, usage.failures],
      ...[overload.shed, overload.inFlight],
    ]);
  }

  read(): EdgeReading {
    const [hits, misses, entries, bytes] = this.#all.subarray(CACHE, USAGE);
    const [flushes, failures, shed, inFlight] = this.#all.subarray(USAGE, TIMES);
    return {
      outcomes: Object.fromEntries(OUTCOMES.map((outcome, n) => [outcome, this.#all[n]!])),
      cache: { hits: hits!, misses: misses!, entries: entries!, bytes: bytes! },
      usage: { flushes: flushes!, failures: failures! },
      overload: { shed: shed!, inFlight: inFlight! },
    };
  }
}

/** What all of them tell together. */
export function sumOfReadings(all: readonly EdgeReading[]): EdgeReading {
  const sum = (figure: (each: EdgeReading) => number): number =>
    all.reduce((total, each) => total + figure(each), 0);
  return {
    outcomes: Object.fromEntries(
      OUTCOMES.map((outcome) => [outcome, sum(({ outcomes }) => outcomes[outcome] ?? 0)]),
    ),
    cache: {
      hits: sum(({ cache }) => cache.hits),
      misses: sum(({ cache }) => cache.misses),
      entries: sum(({ cache }) => cache.entries),
      bytes: sum(({ cache }) => cache.bytes),
    },
    usage: {
      flushes: sum(({ usage }) => usage.flushes),
      failures: sum(({ usage }) => usage.failures),
    },
    overload: {
      shed: sum(({ overload }) => overload.shed),
      inFlight: sum(({ overload }) => overload.inFlight),
    },
  };
}
