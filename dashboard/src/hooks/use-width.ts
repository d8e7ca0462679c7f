import { useSyncExternalStore } from 'react';

/** The steps of the screen, as Tailwind names them. `xs` is a phone. */
const STEPS = { xs: 0, sm: 40, md: 48, lg: 64, xl: 80 } as const;

export type Width = keyof typeof STEPS;

const queries = (Object.keys(STEPS) as Width[])
  .toReversed()
  .map((name) => ({ name, media: matchMedia(`(min-width: ${STEPS[name]}rem)`) }));

function subscribe(listener: () => void): () => void {
  for (const { media } of queries) media.addEventListener('change', listener);
  return () => {
    for (const { media } of queries) media.removeEventListener('change', listener);
  };
}

const current = (): Width => queries.find(({ media }) => media.matches)?.name ?? 'xs';

export const useWidth = (): Width => useSyncExternalStore(subscribe, current);

export const isAtLeast = (width: Width, least: Width): boolean => STEPS[width] >= STEPS[least];
