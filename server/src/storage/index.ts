export { backgroundStorage } from './background-storage.ts';
export {
  isUniqueViolation,
  NoConnectionSlot,
  ReadCancelled,
  ReadsOverloaded,
  ReadTooSlow,
  StorageFull,
  StorageUnavailable,
} from './errors.ts';
export { executeMany, insertRows } from './execute-many.ts';
export {
  countIn,
  type Found,
  isFew,
  type Listed,
  LOOKED_AT_MAX,
  type PageRequest,
  type Source,
  sortedPage,
  type Walk,
  walkedPage,
} from './long-list.ts';
export { preparedQuery } from './prepared-query.ts';
export { chunksOf, deleteInBatches, deleteMatching } from './row-batches.ts';
export { forShare, forUpdate, forUpdateSkipLocked, lockForUpdate } from './row-locks.ts';
export type { ProjectColumns } from './schema/columns.ts';
export type { Database } from './schema/index.ts';
export type {
  DatabaseServer,
  Disk,
  DiskSpace,
  EngineName,
  ReadStatus,
  RunScript,
  Storage,
  TransactionOptions,
  Tx,
} from './storage.ts';
export { allowedOnFullDisk } from './storage.ts';
export { beginningWith, containing, hasElement } from './text-search.ts';
