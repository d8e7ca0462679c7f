import type { Storage } from '../../storage/index.ts';

/** Distinguishes signatures from idempotent calls: no route has this name. */
const ROUTE = 'operator signature';

/**
 * Signatures that were already used. They are stored in the database, so that no node accepts one twice,
 * even after a restart. They share the table of idempotent calls, and are deleted there when they expire.
 */
export class UsedSignatures {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** True for the first use in the cluster. The use is committed before this returns. */
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
