import type { Storage } from '../../storage/index.ts';

/** Distinguishes signatures from idempotent calls: no route has this name. */
const ROUTE = 'operator signature';

/**
 * Signatures that were already used. Stored in the database, so that no node accepts one twice, also
 * after a restart: in the table of idempotent calls, and deleted with them when they expire.
 */
export class UsedSignatures {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** True for the first use in the cluster. Committed before it returns. */
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
