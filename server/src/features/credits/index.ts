export {
  type CreditsChange,
  emitNewBalance,
  eraseCredits,
  newPool,
  setCredits,
} from './changes.ts';
export { type CreditsColumns, creditsBalance, REFILL_COLUMNS } from './columns.ts';
export { STATEMENT_EXAMPLE } from './example.ts';
export { type CreditPool, creditPool } from './held-block.ts';
export { type CreditLease, CreditLedger, type PoolAccess, type Reservation } from './ledger.ts';
export { type PoolOwner, poolOwner } from './pool-owner.ts';
export type { StoredPool } from './pool-row.ts';
export { creditsOf, creditsRecord } from './record.ts';
export {
  ChangeCredits,
  ChangedCredits,
  Credits,
  CreditsChanged,
  CreditsInput,
  CreditsLeft,
  CreditsWithGrants,
  PlanCreditsField,
} from './schema.ts';
export { CreditService } from './service.ts';
export { CreditStatement, StatementQuery } from './statement.ts';
export { keysOfGroup, newPoolRow } from './store.ts';
