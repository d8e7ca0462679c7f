import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../../../kernel/actor.ts';
import { tenantOf } from '../../../kernel/authority.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Secrets } from '../../../kernel/crypto.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { isIdOf, type MakeId } from '../../../kernel/ids.ts';
import { isUniqueViolation, type Storage } from '../../../storage/index.ts';
import type { ChangeRunner, Unit } from '../../changes/index.ts';
import type { ProjectCache } from '../../projects/index.ts';
import { checkRow } from './import-row.ts';
import { newKey, noteImport, type Placed } from './new-keys.ts';
import { ProjectsByName } from './projects-by-name.ts';
import type { ImportApiKeys, ImportedRow, ImportResult } from './schema.ts';
import { insertKeys, type TakenHash, takenHashes } from './store.ts';

/** Rows checked without yielding, so that validations do not wait longer. */
const CHECKED_AT_ONCE = 100;
/** Another request may create the same key between our read and our write; then we read again. */
const ATTEMPTS = 3;

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly clock: Clock;
  readonly projects: ProjectCache;
}

/** Imports keys that were created elsewhere. Each batch is one change. */
export class KeyImporter {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async run(actor: Actor, input: ImportApiKeys): Promise<ImportResult> {
    const { accountId } = tenantOf(actor.principal);
    const importId = input.importId ?? this.#parts.ids('imp');
    if (!isIdOf('imp', importId))
      throw new KeywardError('invalid_body', 'importId must be the id of an earlier import.');
    const results: ImportedRow[] = [];
    const rows = await this.#check(actor, input, results);
    const settled = input.dryRun
      ? sorted(rows, await takenHashes(this.#parts.storage.read, accountId, hashesOf(rows)))
      : await this.#write(actor, accountId, rows, importId, input.events === true);
    results.push(...settled.others);
    for (const [n, { index }] of settled.fresh.entries())
      results.push(
        input.dryRun
          ? { index, status: 'importable' }
          : { index, status: 'imported', id: settled.ids[n]! },
      );
    return { accountId, importId, results: results.sort((a, b) => a.index - b.index) };
  }

  /** Checks each row on its own; invalid rows are added to `refused`. */
  async #check(actor: Actor, input: ImportApiKeys, refused: ImportedRow[]): Promise<Placed[]> {
    const projects = new ProjectsByName(this.#parts.projects, actor, input.projectId);
    if (input.projectId !== undefined) await projects.find(input.projectId);
    const now = this.#parts.clock();
    const placed = new Map<string, Placed>();
    for (const [index, row] of input.keys.entries()) {
      if (index > 0 && index % CHECKED_AT_ONCE === 0) await setImmediate();
      try {
        const checked = checkRow(row, this.#parts.secrets, now);
        const twin = placed.get(checked.columns.hash);
        if (twin !== undefined)
          throw new KeywardError('key_exists', `Row ${twin.index} has the same value.`);
        const project =
          projects.cached(checked.projectId) ?? (await projects.find(checked.projectId));
        placed.set(checked.columns.hash, { ...checked, index, project });
      } catch (error) {
        refused.push(refusal(index, error));
      }
    }
    return [...placed.values()];
  }

  async #write(
    actor: Actor,
    accountId: string,
    rows: readonly Placed[],
    importId: string,
    events: boolean,
  ): Promise<Settled> {
    if (rows.length === 0) return { fresh: [], others: [], ids: [] };
    const hashes = hashesOf(rows);
    const work = async (unit: Unit): Promise<Settled> => {
      const settled = sorted(rows, await takenHashes(unit.tx, accountId, hashes));
      if (settled.fresh.length === 0) return settled;
      const ids = settled.fresh.map(() => this.#parts.ids('key'));
      const made = settled.fresh.map((row, n) => newKey(row, ids[n]!, importId));
      await insertKeys(this.#parts.storage, unit.tx, made);
      noteImport(unit, settled.fresh, made, importId, events);
      return { ...settled, ids };
    };
    for (let attempt = 1; ; attempt++)
      try {
        return await this.#parts.changes.run(actor, work);
      } catch (error) {
        if (attempt === ATTEMPTS || !isUniqueViolation(error, 'api_keys')) throw error;
      }
  }
}

interface Settled {
  readonly fresh: readonly Placed[];
  /** Already imported, or used by a key of another project. */
  readonly others: readonly ImportedRow[];
  /** The ids of `fresh`, once written. */
  readonly ids: readonly string[];
}

const hashesOf = (rows: readonly Placed[]): string[] => rows.map(({ columns }) => columns.hash);

function sorted(rows: readonly Placed[], taken: ReadonlyMap<string, TakenHash>): Settled {
  const fresh: Placed[] = [];
  const others: ImportedRow[] = [];
  for (const row of rows) {
    const { index, project } = row;
    const holder = taken.get(row.columns.hash);
    if (holder === undefined) fresh.push(row);
    else if (holder.project_id === project.id)
      others.push({ index, status: 'exists', id: holder.id });
    else others.push(refusal(index, new KeywardError('key_exists', TAKEN)));
  }
  return { fresh, others, ids: [] };
}

const TAKEN = 'Another project of this account has a key with this value.';

function refusal(index: number, error: unknown): ImportedRow {
  if (!(error instanceof KeywardError)) throw error;
  return { index, status: 'refused', code: error.code, message: error.message };
}
