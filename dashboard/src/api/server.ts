import { useQuery } from '@tanstack/react-query';
import { keyward } from './client.ts';

/** Owners only. */
export const useEngines = () =>
  useQuery({
    queryKey: ['engines'],
    queryFn: ({ signal }) => keyward.server.engines({ signal }),
    refetchInterval: 10_000,
  });

export type Engines = NonNullable<ReturnType<typeof useEngines>['data']>;
