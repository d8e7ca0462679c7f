import type { DatabaseSync } from 'node:sqlite';

export interface PragmaOptions {
  readonly readOnly: boolean;
  readonly busyTimeoutMs: number;
  readonly cacheKilobytes: number;
  /** Only for the negative control of the power-loss test: commits are then not durable. */
  readonly unsafeSynchronousOff: boolean;
}

type Pragma = [name: string, value: string, readBack: unknown];

/** Each pragma with the value to set and the value that SQLite must then return. */
function wanted(options: PragmaOptions): Pragma[] {
  // Not for a read-only connection: it may open a backup, whose journal mode differs and cannot be changed.
  const ofWriter: Pragma[] = [['journal_mode', 'WAL', 'wal']];
  return [
    // First, so that setting the journal mode already waits for locks.
    ['busy_timeout', String(options.busyTimeoutMs), options.busyTimeoutMs],
    ...(options.readOnly ? [] : ofWriter),
    // FULL, not NORMAL: in WAL mode NORMAL syncs only at checkpoints, and a power cut would lose
    // commits that were already acknowledged.
    options.unsafeSynchronousOff ? ['synchronous', 'OFF', 0] : ['synchronous', 'FULL', 2],
    ['foreign_keys', 'ON', 1],
    ['cache_size', String(-options.cacheKilobytes), -options.cacheKilobytes],
    // Off: mapped pages count as memory of this process while a long list is read, and a failing disk
    // would raise SIGBUS instead of an error that becomes a 503 response.
    ['mmap_size', '0', 0],
    // Checkpoints of 4 MB run inside a commit of the writer thread; larger ones would block it longer.
    ['wal_autocheckpoint', '1000', 1000],
    // A long read lets the WAL grow; the next checkpoint truncates it to this size.
    ['journal_size_limit', String(64 << 20), 64 << 20],
    // Sorting must not spill tenants' data into files outside the data directory.
    ['temp_store', 'MEMORY', 2],
    ['trusted_schema', 'OFF', 0],
    // An index that is made for a single query would read all keys: 20 s for two million.
    ['automatic_index', 'OFF', 0],
  ];
}

/** Sets the pragmas and reads them back: SQLite silently ignores unknown or unsupported ones. */
export function applyPragmas(database: DatabaseSync, options: PragmaOptions): void {
  for (const [name, value, readBack] of wanted(options)) {
    database.prepare(`PRAGMA ${name} = ${value}`).all();
    const row = database.prepare(`PRAGMA ${name}`).get();
    const found: unknown = row ? Object.values(row)[0] : undefined;
    // mmap_size returns no row on file systems that do not support mapping.
    if (found !== readBack && !(name === 'mmap_size' && found === undefined)) {
      throw new Error(`SQLite has ${name}=${String(found)}; Keyward needs ${String(readBack)}.`);
    }
  }
}
