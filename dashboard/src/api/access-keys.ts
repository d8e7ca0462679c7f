import { useQuery } from '@tanstack/react-query';
import type { BodyOf } from 'keyward';
import { keyward } from './client.ts';
import { queryClient } from './query-client.ts';

const ALL = { limit: 1000 };

/** Access keys that are valid in a project: its own and account-level ones. Newest first. */
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

const invalidate = () => queryClient.invalidateQueries({ queryKey: ['access-keys'] });

/** The response contains the value, which is shown once: keep it only in the state of the dialog. */
export async function createAccessKey(body: BodyOf<'createAccessKey'>, idempotencyKey: string) {
  const created = await keyward.accessKeys.create(body, { idempotencyKey });
  void invalidate();
  return created;
}

/** The response contains the new value, as with `createAccessKey`. */
export async function rotateAccessKey(id: string, graceSeconds: number, idempotencyKey: string) {
  const created = await keyward.accessKeys.rotate(id, { graceSeconds }, { idempotencyKey });
  void invalidate();
  return created;
}

export const fetchAccessKey = (id: string) => keyward.accessKeys.get(id);

export async function updateAccessKey(
  id: string,
  body: BodyOf<'updateAccessKey'>,
  ifUpdatedAt: string,
) {
  await keyward.accessKeys.update(id, body, { ifUpdatedAt });
  await invalidate();
}

export async function revokeAccessKey(id: string) {
  await keyward.accessKeys.revoke(id);
  await invalidate();
}

export async function reactivateAccessKey(id: string) {
  await keyward.accessKeys.reactivate(id);
  await invalidate();
}
