import { booked } from '@keyward/rules/credits/blocks.ts';
import { balanceOf, EMPTY_POOL, sumOf } from '@keyward/rules/credits/pool.ts';
import { expect } from 'vitest';
import { firstBoot } from '../../src/app/first-boot.ts';
import { createMemoryChangeBus } from '../../src/cluster/change-bus/memory.ts';
import type { Unit } from '../../src/features/changes/index.ts';
import { changeCredits } from '../../src/features/credits/changes.ts';
import {
  type ChangeCredits,
  CreditLedger,
  type CreditPool,
  type CreditsInput,
  creditPool,
  creditsRecord,
  type PoolAccess,
  setCredits,
} from '../../src/features/credits/index.ts';
import { ownerColumns } from '../../src/features/credits/pool-owner.ts';
import { poolAt } from '../../src/features/credits/record.ts';
import { readPool } from '../../src/features/credits/store.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { deriveSecrets } from '../../src/kernel/secrets/crypto.ts';
import type { Storage } from '../../src/storage/index.ts';
import { START, TEST_ROOT_SECRET } from '../harness/test-app.ts';
import { openTestStorage } from '../harness/test-storage.ts';

type CreditsUnit = Pick<Unit, 'tx' | 'now' | 'affects'>;

/** Nodes that take credits from one database, with a clock that the test moves. */
export class CreditsWorld {
  readonly storage: Storage;
  readonly #dispose: () => Promise<void>;
  readonly #project: { readonly accountId: string; readonly projectId: string };
  readonly bus = createMemoryChangeBus();
  now = START;
  #nodes = 0;

  private constructor(
    storage: Storage,
    dispose: () => Promise<void>,
    project: { accountId: string; projectId: string },
  ) {
    this.storage = storage;
    this.#dispose = dispose;
    this.#project = project;
  }

  static async open(): Promise<CreditsWorld> {
    const { storage, dispose } = await openTestStorage();
    await firstBoot(storage, deriveSecrets(TEST_ROOT_SECRET), createIds(), START, null);
    const row = await storage.point.selectFrom('projects').selectAll().executeTakeFirstOrThrow();
    return new CreditsWorld(storage, dispose, { accountId: row.account_id, projectId: row.id });
  }

  close(): Promise<void> {
    return this.#dispose();
  }

  /** A node among `nodes`; null: it is alone. `skewMs`: how far its clock is ahead. */
  node(
    nodes: number | null,
    { skewMs = 0, storage = this.storage }: { skewMs?: number; storage?: Storage } = {},
  ): CreditLedger {
    const { bus } = this;
    return new CreditLedger({
      storage,
      bus,
      clock: () => this.now + skewMs,
      ids: createIds(() => this.now),
      node: nodes === null ? 'alone' : `node ${++this.#nodes}`,
      nodes: nodes === null ? null : () => nodes,
      onError: (error) => {
        throw error;
      },
    });
  }

  pool(owner: string, plan: CreditPool['plan'] = null): CreditPool {
    return creditPool({ ...this.#project, ownerType: 'customer', owner }, plan);
  }

  set(node: CreditLedger, pool: CreditPool, input: CreditsInput | null) {
    return this.#change(node, pool, (unit, access) => setCredits(unit, access, pool, input));
  }

  change(node: CreditLedger, pool: CreditPool, change: ChangeCredits, storage = this.storage) {
    const work = (unit: CreditsUnit, access: PoolAccess) =>
      changeCredits(unit, access, pool, change);
    return this.#change(node, pool, work, storage);
  }

  async #change<T>(
    node: CreditLedger,
    pool: CreditPool,
    work: (unit: CreditsUnit, access: PoolAccess) => Promise<T>,
    storage = this.storage,
  ): Promise<T> {
    const { bus, now } = this;
    return node.change(pool, async (access) => {
      const result = await storage.transaction((tx) =>
        work({ tx, now, affects: () => {} }, access),
      );
      bus.publish([{ kind: 'credits', pool: pool.name }]);
      return result;
    });
  }

  /** What GET would show on this node. */
  async remaining(node: CreditLedger, pool: CreditPool): Promise<number | null> {
    const { stored, unstored } = await node.read(pool, this.now);
    return stored && creditsRecord(stored, this.now, unstored).remaining;
  }

  /** Checks that the lines of the statement add up to the balance. */
  async checkStatement(pool: CreditPool): Promise<void> {
    const stored = await readPool(this.storage.point, pool, this.now);
    const now = poolAt(stored ?? { ...EMPTY_POOL, planId: null }, this.now);
    const { project_id, owner_type, owner } = ownerColumns(pool);
    const rows = await this.storage.point
      .selectFrom('credit_entries')
      .selectAll()
      .where('project_id', '=', project_id)
      .where('owner_type', '=', owner_type)
      .where('owner', '=', owner)
      .execute();
    const sum = sumOf([...rows, ...now.entries], ({ kind, amount }) =>
      kind === 'consumed' || kind === 'expired' ? -amount : amount,
    );
    expect(sum, `statement of ${owner}`).toBe(balanceOf(now));
  }

  /** The stored balance; negative if more was spent than a later change allowed. */
  async balance(pool: CreditPool): Promise<number> {
    return balanceOf(booked((await readPool(this.storage.point, pool, this.now))!));
  }

  /** Moves the clock in steps of 250 ms, with the flushes of all nodes. */
  async pass(ms: number, nodes: readonly CreditLedger[], each = async () => {}): Promise<void> {
    for (let passed = 0; passed < ms; passed += 250) {
      this.now += 250;
      for (const node of nodes) {
        await node.flush();
        // Waits for the extensions that the flush has started.
        await node.transactionsDone();
      }
      await each();
    }
  }
}
