import type { Entry } from './catalogue.ts';
import type { Kind } from './report/report.ts';
import { FULL, QUICK, type Scale } from './scenario.ts';

const HOUR = 3_600;

/** What a kind of run may take in all, and how much of everything it does. */
export const RUNS: Readonly<
  Record<Exclude<Kind, 'curves'>, { readonly limitSeconds: number; readonly scale: Scale }>
> = {
  full: { limitSeconds: 900, scale: FULL },
  quick: { limitSeconds: 90, scale: QUICK },
  soak: { limitSeconds: HOUR + 120, scale: { ...FULL, soakSeconds: HOUR } },
};

export type Step =
  | { readonly entry: Entry; readonly seconds: number }
  | { readonly entry: Entry; readonly leftOut: string };

/** What a run does of the catalogue: named scenarios always, all others where they fit its kind. */
export function planOf(
  catalogue: readonly Entry[],
  kind: Exclude<Kind, 'curves'>,
  only: readonly string[],
): Step[] {
  if (kind === 'soak')
    return named(catalogue, ['soak']).map((entry) => ({ entry, seconds: RUNS.soak.limitSeconds }));
  if (kind === 'full')
    return named(catalogue, only).map((entry) => ({ entry, seconds: entry.seconds }));
  return named(catalogue, only).map((entry) => {
    if (entry.quickSeconds !== null) return { entry, seconds: entry.quickSeconds };
    if (only.length > 0) return { entry, seconds: entry.seconds };
    return { entry, leftOut: 'left out of --quick' };
  });
}

const named = (catalogue: readonly Entry[], only: readonly string[]): readonly Entry[] =>
  only.length === 0 ? catalogue : catalogue.filter(({ name }) => only.includes(name));
