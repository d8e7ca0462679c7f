import type { Storage } from '../../storage/index.ts';

/** Among the calls that are made once: no route has this name. */
const ROUTE = 'operator signature';

/**
 * Signatures that have served, remembered in the database: by every node of a cluster, and by a
 * server that was started again. They lie among the idempotent calls and are swept with them.
 */
export class UsedSignatures {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** True for the first who asks, wherever. Committed before the call is made. */
  use(principalId: string, signature: string, until: number): Promise<boolean> {
    return this.#storage.transaction(async (tx) => {
      const first = await tx
        .insertInto('idempotency')
        .values({
          principal_id: principalId,
          route: ROUTE,
          idempotency_key: signature,
          request_hash: '',
          status: 0,
          response: '',
          resource_id: '',
          expires_at: until,
        })
        .onConflict((conflict) =>
          conflict.columns(['principal_id', 'route', 'idempotency_key']).doNothing(),
        )
        .returning('expires_at')
        .executeTakeFirst();
      return first !== undefined;
    });
  }
}
