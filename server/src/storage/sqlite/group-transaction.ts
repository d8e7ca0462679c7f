import type { Connection } from './connection.ts';
import {
  type Failure,
  type Reply,
  type SavepointCommand,
  type ScriptRequest,
  toFailure,
} from './messages.ts';

const SAVEPOINT_SQL = {
  savepoint: 'SAVEPOINT one',
  release: 'RELEASE one',
  rollback: 'ROLLBACK TO one; RELEASE one',
} as const;

/**
 * The physical transaction shared by a group of logical transactions, each in its own savepoint:
 *
 *   closed ──savepoint──▶ open ──savepoint, release, rollback …──▶ open ──commit──▶ closed
 *                          └── SQLite rolled everything back (disk full, I/O) ──▶ lost ──commit──▶ closed
 *
 * In `lost` every request fails, and so does the commit, which rejects the whole group.
 */
export class GroupTransaction {
  readonly #connection: Connection;
  #lost: Failure | undefined;
  /** Not the flag of SQLite: if SQLite has ended the transaction by itself, the commit must fail. */
  #isOpen = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  runSavepoint(kind: SavepointCommand['kind']): void {
    if (this.#isOpen) this.#giveUpIfEnded();
    else {
      this.#isOpen = true;
      this.#exec('BEGIN IMMEDIATE');
    }
    this.#exec(SAVEPOINT_SQL[kind]);
  }

  /** Runs one statement of a logical transaction. */
  change(run: () => Reply): Reply {
    this.#giveUpIfEnded();
    if (this.#lost) return { failure: this.#lost };
    try {
      return run();
    } catch (error) {
      // Some errors make SQLite roll back the physical transaction, not only the statement.
      if (!this.#connection.database.isTransaction) this.#giveUp(error);
      throw error;
    }
  }

  script({ guards, steps }: ScriptRequest): Reply {
    this.runSavepoint('savepoint');
    try {
      const reply = this.#run(guards, steps);
      this.runSavepoint('release');
      return reply;
    } catch (error) {
      this.runSavepoint('rollback');
      throw error;
    }
  }

  commit(): Reply {
    // Not open if every request of the group was refused before it was sent.
    if (this.#isOpen) this.#exec('COMMIT');
    this.#isOpen = false;
    const failure = this.#lost;
    this.#lost = undefined;
    return failure ? { failure } : {};
  }

  /** Guards run first and only read: if one finds a row, there is nothing to undo. */
  #run(guards: number, steps: ScriptRequest['steps']): Reply {
    for (const [n, { sql, parameters }] of steps.entries()) {
      const { failure, rows } = this.change(() => this.#connection.query(sql, parameters));
      if (failure) return { failure };
      if (n < guards && rows?.length !== 0) return { isGuarded: true };
    }
    return {};
  }

  /** Outside a transaction a statement would commit by itself, and a savepoint would begin another one. */
  #giveUpIfEnded(): void {
    if (!this.#lost && !this.#connection.database.isTransaction)
      this.#giveUp(new Error('SQLite ended the transaction by itself.'));
  }

  #exec(sql: string): void {
    if (this.#lost) return;
    try {
      this.#connection.database.exec(sql);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): void {
    this.#lost = toFailure(error);
    const { database } = this.#connection;
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}
