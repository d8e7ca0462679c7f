import type { Connection } from './connection.ts';
import { type Answer, type Bound, type Failure, type ScriptRequest, toFailure } from './wire.ts';

const SAVEPOINT = 'SAVEPOINT one';
const RELEASE = 'RELEASE one';
const ROLLBACK_TO = 'ROLLBACK TO one; RELEASE one';

/**
 * The physical transaction that the logical ones of a group share:
 *
 *   closed ──script, savepoint──▶ open ──script, savepoint, release, rollback …──▶ open ──commit──▶ closed
 *                                  └── SQLite rolled everything back (disk full, I/O) ──▶ lost ──commit──▶ closed
 *
 * In `lost` every request fails, and so does the commit, which rejects the whole group.
 *
 * Within a savepoint SQLite copies every page before its first change: a fifth of what creating a
 * key costs the writer. So as long as only scripts were done, there is none: what has to be undone
 * is undone by rolling back everything and running those scripts again, once in a group. A turn
 * cannot be run again: behind one that was done, as behind whatever was undone, all have savepoints.
 */
export class GroupTransaction {
  readonly #connection: Connection;
  #lost: Failure | undefined;
  /** As we know it: should SQLite have ended it unnoticed, the commit must fail. */
  #isOpen = false;
  /** What was done so far and can be run again; null: what follows needs a savepoint. */
  #done: ScriptRequest[] | null = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  bound(kind: Bound['kind']): void {
    if (kind === 'savepoint') {
      this.#begin();
      if (this.#done === null) this.#exec(SAVEPOINT);
    } else if (kind === 'release') {
      if (this.#done === null) this.#exec(RELEASE);
      else this.#done = null;
    } else if (this.#done === null) this.#exec(ROLLBACK_TO);
    else this.#rollBackTo(this.#done);
  }

  /** One statement of a turn or a script. */
  change(run: () => Answer): Answer {
    // Outside of a transaction each statement would commit by itself.
    if (!this.#lost && !this.#connection.database.isTransaction)
      this.#giveUp(new Error('The transaction has ended unnoticed.'));
    if (this.#lost) return { failure: this.#lost };
    try {
      return run();
    } catch (error) {
      // Some errors make SQLite roll back the physical transaction, not only the statement.
      if (!this.#connection.database.isTransaction) this.#giveUp(error);
      throw error;
    }
  }

  script(script: ScriptRequest): Answer {
    if (this.#done === null) return this.#inSavepoint(script);
    this.#begin();
    try {
      const answer = this.#run(script);
      if (!answer.isGuarded) this.#done.push(script);
      return answer;
    } catch (error) {
      this.#rollBackTo(this.#done);
      throw error;
    }
  }

  commit(): Answer {
    // None is open when all was undone, or refused before it travelled.
    if (this.#isOpen) this.#exec('COMMIT');
    this.#isOpen = false;
    const failure = this.#lost;
    this.#lost = undefined;
    this.#done = [];
    return failure ? { failure } : {};
  }

  #begin(): void {
    if (!this.#isOpen) this.#exec('BEGIN IMMEDIATE');
    this.#isOpen = true;
  }

  /** Guards only read: when one finds a row, there is nothing to undo. */
  #run({ guards, steps }: ScriptRequest): Answer {
    for (const [n, { sql, parameters }] of steps.entries()) {
      const { failure, rows } = this.change(() => this.#connection.query(sql, parameters));
      if (failure) return { failure };
      if (n < guards && rows?.length !== 0) return { isGuarded: true };
    }
    return {};
  }

  #inSavepoint(script: ScriptRequest): Answer {
    this.#exec(SAVEPOINT);
    try {
      const answer = this.#run(script);
      this.#exec(RELEASE);
      return answer;
    } catch (error) {
      this.#exec(ROLLBACK_TO);
      throw error;
    }
  }

  /** Whatever was done since is undone. What follows has savepoints, if anything is left. */
  #rollBackTo(scripts: readonly ScriptRequest[]): void {
    this.#exec('ROLLBACK');
    this.#isOpen = false;
    if (scripts.length === 0) return;
    this.#done = null;
    this.#begin();
    try {
      for (const script of scripts)
        if (this.#run(script).isGuarded) throw new Error('Another process wrote in between.');
    } catch (error) {
      this.#giveUp(error);
    }
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
