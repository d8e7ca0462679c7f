import { useQuery } from '@tanstack/react-query';
import type { BodyOf } from 'keyward';
import { keyward } from './client.ts';
import { queryClient } from './query-client.ts';

const ALL = { limit: 1000 };

/** Those that work in a project: its own, and those of the whole account. Newest first. */
export const useAccessKeys = (projectId: string) =>
  useQuery({
    queryKey: ['access-keys', 'list', projectId],
    queryFn: async ({ signal }) => {
      const [own, wide] = await Promise.all([
        keyward.accessKeys.list({ ...ALL, projectId }, { signal }).toArray(),
        keyward.accessKeys.list({ ...ALL, projectId: 'null' }, { signal }).toArray(),
      ]);
      return [...own, ...wide].toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
    },
  });

const changed = () => queryClient.invalidateQueries({ queryKey: ['access-keys'] });

/** The answer holds the value, this once: into the state of the dialog that shows it, no further. */
export async function createAccessKey(body: BodyOf<'createAccessKey'>) {
  const made = await keyward.accessKeys.create(body);
  void changed();
  return made;
}

/** As with `createAccessKey`: the answer holds the new value. */
export async function rotateAccessKey(id: string, graceSeconds: number) {
  const made = await keyward.accessKeys.rotate(id, { graceSeconds });
  void changed();
  return made;
}

export const fetchAccessKey = (id: string) => keyward.accessKeys.get(id);

export async function updateAccessKey(
  id: string,
  body: BodyOf<'updateAccessKey'>,
  ifUpdatedAt: string,
) {
  await keyward.accessKeys.update(id, body, { ifUpdatedAt });
  await changed();
}

export async function revokeAccessKey(id: string) {
  await keyward.accessKeys.revoke(id);
  await changed();
}

export async function reactivateAccessKey(id: string) {
  await keyward.accessKeys.reactivate(id);
  await changed();
}
