import { KeywardError } from '../../kernel/errors.ts';
import { isTimeZone } from '../../kernel/time/time-zones.ts';
import type { Unit } from '../changes/index.ts';
import type { PoolAccess } from './ledger.ts';
import { openedByPlan } from './plan-credits.ts';
import {
  balanceOf,
  CREDITS_MAX,
  poolWith,
  type Refill,
  type StoredPool,
  withAdded,
  withBalance,
  withRefill,
  withStartingBalance,
} from './pool.ts';
import { type PoolOwner, poolName } from './pool-owner.ts';
import { creditsRecord } from './record.ts';
import type { ChangeCredits, Credits, CreditsInput } from './schema.ts';
import { deletePool, insertPool } from './store.ts';

type CreditsUnit = Pick<Unit, 'tx' | 'now' | 'affects'>;

/** Emits `credits.changed` if the balance has changed. `keyId`: the key, if the credits are its own. */
export function emitNewBalance(
  unit: Pick<Unit, 'emit'>,
  owner: PoolOwner,
  keyId: string | null,
  { before, after }: CreditsChange,
): void {
  if (after !== null && before?.remaining !== after.remaining)
    emitChanged(unit, owner, keyId, { before, after });
}

export function emitChanged(
  unit: Pick<Unit, 'emit'>,
  { accountId, projectId, ownerType, owner }: PoolOwner,
  keyId: string | null,
  { before, after }: CreditsChange,
): void {
  const customAccountId = ownerType === 'customer' ? owner : null;
  const data = { projectId, keyId, customAccountId, before, after };
  unit.emit({ type: 'credits.changed', accountId, projectId, data });
}

/** Credits before and after a change, as the API shows them. */
export interface CreditsChange {
  readonly before: Credits | null;
  readonly after: Credits | null;
}

function refillOf(input: NonNullable<CreditsInput['refill']>): Refill {
  const { amount, interval, timezone = 'UTC' } = input;
  if (!isTimeZone(timezone))
    throw new KeywardError(
      'invalid_body',
      `credits.refill.timezone: ${JSON.stringify(timezone)} is not an IANA time zone; write it like Europe/Berlin.`,
    );
  return { amount, interval, timezone };
}

/** A pool for new credits. It is not stored yet. */
export function newPool({ remaining, refill }: CreditsInput, now: number): StoredPool {
  const wanted = refill ? refillOf(refill) : null;
  const amount = remaining ?? wanted?.amount;
  if (amount === undefined)
    throw new KeywardError('invalid_body', 'credits needs remaining, or a refill.');
  return { ...withRefill(poolWith(amount), wanted, now), planId: null };
}

/** Sets credits; `input` null removes them. Runs in `CreditLedger.change`, which provides `access`. */
export async function setCredits(
  unit: CreditsUnit,
  access: PoolAccess,
  owner: PoolOwner,
  input: CreditsInput | null,
): Promise<CreditsChange> {
  const { tx, now } = unit;
  const pool = await access.read(tx, now);
  const before = pool && creditsRecord(pool, now);
  if (pool === null && input === null) return { before, after: null };
  unit.affects({ kind: 'credits', pool: poolName(owner) });
  if (input === null) {
    await deletePool(tx, owner);
    return { before, after: null };
  }
  if (input.remaining !== undefined) access.reset();
  const after = pool === null ? await firstPool(unit, owner, input) : changed(pool, input, now);
  await store(unit, access, owner, pool, after);
  return { before, after: creditsRecord(after, now) };
}

/**
 * The pool of an owner that has none yet. If `input` has no settings for refills, and the plan gives credits,
 * the pool is opened by the plan, as in `changeCredits`.
 */
async function firstPool(
  { tx, now }: CreditsUnit,
  owner: PoolOwner,
  input: CreditsInput,
): Promise<StoredPool> {
  const opened = input.refill === undefined ? await openedByPlan(tx, owner, now) : null;
  return opened === null ? newPool(input, now) : changed(opened, input, now);
}

async function store(
  { tx, now }: CreditsUnit,
  access: PoolAccess,
  owner: PoolOwner,
  before: StoredPool | null,
  after: StoredPool,
): Promise<void> {
  if (before !== null) await access.write(tx, after, now);
  else if (!(await insertPool(tx, owner, after, now))) throw new KeywardError('edit_conflict');
}

function changed(pool: StoredPool, { remaining, refill }: CreditsInput, now: number): StoredPool {
  let after = remaining === undefined ? pool : withStartingBalance(withBalance(pool, remaining));
  if (refill === undefined) return after;
  const wanted = refill && refillOf(refill);
  // If the settings are unchanged, the next refill keeps its time.
  if (!isSameRefill(wanted, pool.refill)) after = withRefill(after, wanted, now);
  return { ...after, planId: null };
}

const isSameRefill = (a: Refill | null, b: Refill | null): boolean =>
  a?.amount === b?.amount && a?.interval === b?.interval && a?.timezone === b?.timezone;

/**
 * Adds or sets credits. If there is no pool yet, it is first opened with the credits of the plan. Runs in
 * `CreditLedger.change`, which provides `access`.
 */
export async function changeCredits(
  unit: CreditsUnit,
  access: PoolAccess,
  owner: PoolOwner,
  { add, set }: ChangeCredits,
): Promise<{ before: Credits | null; after: Credits }> {
  if ((add === undefined) === (set === undefined))
    throw new KeywardError('invalid_body', 'Send either add or set.');
  const { tx, now } = unit;
  const existing = await access.read(tx, now);
  unit.affects({ kind: 'credits', pool: poolName(owner) });
  const pool = existing ?? (await openedByPlan(tx, owner, now)) ?? newPool({ remaining: 0 }, now);
  if (add !== undefined && balanceOf(pool) + add > CREDITS_MAX)
    throw new KeywardError('invalid_body', `There can be at most ${CREDITS_MAX} credits.`);
  if (set !== undefined) access.reset();
  const after = withStartingBalance(
    add === undefined ? withBalance(pool, set!) : withAdded(pool, add),
  );
  await store(unit, access, owner, existing, after);
  return { before: existing && creditsRecord(existing, now), after: creditsRecord(after, now) };
}
