import { useNavigate } from '@tanstack/react-router';
import { usePlace } from './current.ts';
import { PLACES, type Place } from './navigation.ts';
import { useManyShortcuts } from './shortcuts.ts';

/** Goes to a place in the current project and account. */
export function useGo(): (place: Place) => void {
  const navigate = useNavigate();
  const { account, project } = usePlace();
  return ({ to }) => {
    if (to.startsWith('/p/') && !project) return;
    const params = { projectId: project?.id ?? '', accountId: account?.id ?? '' };
    void navigate({ to, params });
  };
}

/** `g` and a letter, for each place. */
export function usePlaceShortcuts(): void {
  const go = useGo();
  useManyShortcuts(
    PLACES.map((place) => ({
      keys: `g ${place.key}`,
      label: `Go to ${place.label}`,
      run: () => go(place),
    })),
  );
}
