import {
  balanceOf,
  balanceSet,
  type Context,
  CREDITS_MAX,
  EMPTY_POOL,
  GRANTS_MAX,
  granted,
  openGrants,
  type Refill,
  taken,
  withStartingBalance,
} from '@keyward/rules/credits/pool.ts';
import { isSameRefill, withRefill } from '@keyward/rules/credits/time.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { readTime } from '../../kernel/time/read-time.ts';
import { isTimeZone } from '../../kernel/time/time-zones.ts';
import type { Unit } from '../changes/index.ts';
import type { PoolAccess } from './ledger.ts';
import { openedByPlan, openedWith } from './plan-credits.ts';
import { type PoolOwner, poolName } from './pool-owner.ts';
import type { StoredPool } from './pool-row.ts';
import { creditsRecord } from './record.ts';
import type { ChangeCredits, Credits, CreditsInput } from './schema.ts';
import { deletePool, insertPool, removePool } from './store.ts';

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
  const { amount, interval, timezone = 'UTC', anchor = null } = input;
  if (!isTimeZone(timezone))
    throw new KeywardError(
      'invalid_body',
      `credits.refill.timezone: ${JSON.stringify(timezone)} is not an IANA time zone; write it like Europe/Berlin.`,
    );
  return {
    amount,
    interval,
    timezone,
    anchor: anchor === null ? null : readTime('credits.refill.anchor', anchor),
  };
}

/** A pool for new credits. It is not stored yet. */
export function newPool({ remaining, refill }: CreditsInput, context: Context): StoredPool {
  const wanted = refill ? refillOf(refill) : null;
  const amount = remaining ?? wanted?.amount;
  if (amount === undefined)
    throw new KeywardError('invalid_body', 'credits needs remaining, or a refill.');
  return { ...openedWith(amount, wanted, 'purchase', context), planId: null };
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
    await removePool(tx, owner, pool!, now);
    return { before, after: null };
  }
  if (input.remaining !== undefined) access.reset();
  const context = access.context(now);
  const after =
    pool === null ? await firstPool(unit, owner, input, context) : changed(pool, input, context);
  await store(unit, access, owner, pool, after);
  return { before, after: creditsRecord(after, now) };
}

/** The owner is erased: deletes its pool and its statement. Returns the credits that it had. */
export async function eraseCredits(
  { tx, now, affects }: CreditsUnit,
  access: PoolAccess,
  owner: PoolOwner,
): Promise<Credits | null> {
  const pool = await access.read(tx, now);
  if (pool !== null) affects({ kind: 'credits', pool: poolName(owner) });
  await deletePool(tx, owner);
  return pool && creditsRecord(pool, now);
}

/**
 * The pool of an owner that has none yet. If `input` has no settings for refills, and the plan gives credits,
 * the pool is opened by the plan, as in `changeCredits`.
 */
async function firstPool(
  { tx }: CreditsUnit,
  owner: PoolOwner,
  input: CreditsInput,
  context: Context,
): Promise<StoredPool> {
  const opened = input.refill === undefined ? await openedByPlan(tx, owner, context) : null;
  return opened === null ? newPool(input, context) : changed(opened, input, context);
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

function changed(pool: StoredPool, input: CreditsInput, context: Context): StoredPool {
  const { remaining, refill } = input;
  let after = remaining === undefined ? pool : withRemaining(pool, remaining, context);
  if (refill === undefined) return after;
  const wanted = refill && refillOf(refill);
  // If the settings are unchanged, the next refill keeps its time.
  if (!isSameRefill(wanted, pool.refill)) after = withRefill(after, wanted, context.now);
  return { ...after, planId: null };
}

/** Only `set` of `POST …/credits` cancels a debt. */
function withRemaining(pool: StoredPool, remaining: number, context: Context): StoredPool {
  if (pool.overdrawn === 0) return withStartingBalance(balanceSet(pool, remaining, context));
  if (remaining === 0) return pool;
  throw new KeywardError('credits_overdrawn');
}

/**
 * Adds or sets credits. If there is no pool yet, it is first opened with the credits of the plan. Runs in
 * `CreditLedger.change`, which provides `access`.
 */
export async function changeCredits(
  unit: CreditsUnit,
  access: PoolAccess,
  owner: PoolOwner,
  change: ChangeCredits,
): Promise<{ before: Credits | null; after: Credits; taken: number | null }> {
  const { add, set } = change;
  if ((add === undefined) === (set === undefined))
    throw new KeywardError('invalid_body', 'Send either add or set.');
  const { tx, now } = unit;
  const context = access.context(now);
  const existing = await access.read(tx, now);
  unit.affects({ kind: 'credits', pool: poolName(owner) });
  const opened = existing ?? (await openedByPlan(tx, owner, context));
  const pool: StoredPool = opened ?? { ...EMPTY_POOL, planId: null };
  const changed =
    set === undefined ? withAdded(pool, change, context) : withSet(pool, change, context);
  if (set !== undefined) access.reset();
  const after = withStartingBalance(changed);
  await store(unit, access, owner, existing, after);
  const taken = add !== undefined && add < 0 ? balanceOf(pool) - balanceOf(after) : null;
  return {
    before: existing && creditsRecord(existing, now),
    after: creditsRecord(after, now),
    taken,
  };
}

function withSet(pool: StoredPool, change: ChangeCredits, context: Context): StoredPool {
  for (const name of ['source', 'expiresAt', 'grant'] as const)
    if (change[name] !== undefined)
      throw new KeywardError('invalid_body', `${name} is only for add, not for set.`);
  refuseTooMany(pool);
  return balanceSet(pool, change.set!, context, change.note ?? null);
}

function withAdded(
  pool: StoredPool,
  { add = 0, source, expiresAt, note: text, grant }: ChangeCredits,
  context: Context,
): StoredPool {
  const note = text ?? null;
  if (add < 0) {
    if (source !== undefined || expiresAt !== undefined)
      throw new KeywardError(
        'invalid_body',
        'source and expiresAt are only for credits that are added.',
      );
    if (grant !== undefined && !openGrants(pool).some(({ id }) => id === grant))
      throw new KeywardError(
        'invalid_body',
        `grant: there is no grant ${JSON.stringify(grant)} with credits left.`,
      );
    return taken(pool, -add, context, { note, ...(grant !== undefined && { grant }) });
  }
  if (grant !== undefined)
    throw new KeywardError(
      'invalid_body',
      'grant is only for credits that are taken: add must be negative.',
    );
  if (balanceOf(pool) + add > CREDITS_MAX)
    throw new KeywardError('invalid_body', `There can be at most ${CREDITS_MAX} credits.`);
  if (add === 0) return pool;
  const expires = expiresAt === undefined ? null : readTime('expiresAt', expiresAt);
  if (expires !== null && expires <= context.now)
    throw new KeywardError('invalid_body', 'expiresAt must be in the future.');
  refuseTooMany(pool);
  return granted(
    pool,
    { amount: add, source: source ?? 'purchase', expiresAt: expires, note },
    context,
  );
}

function refuseTooMany(pool: StoredPool): void {
  const count = openGrants(pool).filter(({ source }) => source !== 'refill').length;
  if (count >= GRANTS_MAX) throw new KeywardError('too_many_grants');
}
