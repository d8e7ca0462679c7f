export { changeCredits, creditsRecord, setCredits } from './changes.ts';
export { type CreditPool, creditPool } from './held-block.ts';
export { CreditLedger, type PoolAccess } from './ledger.ts';
export type { ChangeCredits, CreditsInput } from './schema.ts';
export { readPool } from './store.ts';
