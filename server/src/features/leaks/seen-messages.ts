import type { Storage } from '../../storage/index.ts';

const KEPT_MS = 24 * 3_600_000;

/** Distinguishes messages from idempotent calls: no principal has this id. */
const GITHUB = { principal_id: 'github', route: 'POST /leaks/github' } as const;

/**
 * The messages of GitHub of the last 24 hours, by the SHA-256 of their body. They are stored in the database, so that no
 * node acts on one again, even after a restart. They share the table of idempotent calls, and are deleted there when
 * they expire. Neither values nor their hashes are stored, only which tokens of a message were real.
 */
export class SeenMessages {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The positions of the real tokens; null if the message is new. */
  async find(digest: string, now: number): Promise<ReadonlySet<number> | null> {
    const row = await this.#storage.point
      .selectFrom('idempotency')
      .select('response')
      .where('principal_id', '=', GITHUB.principal_id)
      .where('route', '=', GITHUB.route)
      .where('idempotency_key', '=', digest)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return row === undefined ? null : new Set(JSON.parse(row.response) as number[]);
  }

  /** Called when the message has been acted on: if the process ends before, GitHub's next attempt is not ignored. */
  async add(digest: string, real: readonly number[], now: number): Promise<void> {
    await this.#storage.transaction(async (tx) => {
      const key = { ...GITHUB, idempotency_key: digest };
      await tx
        .deleteFrom('idempotency')
        .where('principal_id', '=', key.principal_id)
        .where('route', '=', key.route)
        .where('idempotency_key', '=', digest)
        .where('expires_at', '<=', now)
        .execute();
      await tx
        .insertInto('idempotency')
        .values({
          ...key,
          request_hash: '',
          status: 200,
          response: JSON.stringify(real),
          resource_id: '',
          expires_at: now + KEPT_MS,
        })
        .onConflict((conflict) =>
          conflict.columns(['principal_id', 'route', 'idempotency_key']).doNothing(),
        )
        .execute();
    });
  }
}
