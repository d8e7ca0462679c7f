export { nextRefill } from './calendar.ts';
export {
  type CreditsChange,
  emitNewBalance,
  newPool,
  setCredits,
} from './changes.ts';
export { type CreditsColumns, creditsBalance, REFILL_COLUMNS } from './columns.ts';
export { type CreditPool, creditPool } from './held-block.ts';
export { type CreditLease, CreditLedger, type PoolAccess, type Reservation } from './ledger.ts';
export { LOW_SHARE, type StoredPool } from './pool.ts';
export { type PoolOwner, poolOwner } from './pool-owner.ts';
export { creditsOf, creditsRecord } from './record.ts';
export {
  ChangeCredits,
  Credits,
  CreditsChanged,
  CreditsInput,
  CreditsLeft,
  PlanCreditsField,
} from './schema.ts';
export { CreditService } from './service.ts';
export { keysOfGroup, newPoolRow } from './store.ts';
