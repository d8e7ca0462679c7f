import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestStorage } from '../../../../test/harness/test-storage.ts';
import { findUnsealed, SeqSet } from './unsealed.ts';

let open: Awaited<ReturnType<typeof openTestStorage>>;
beforeEach(async () => {
  open = await openTestStorage();
});
afterEach(() => open.dispose());

const rowOf = (n: number) => ({
  id: `aud_${n}`,
  account_id: 'acc_1',
  project_id: null,
  actor_type: 'system',
  actor_id: 'system',
  action: 'api-key.created',
  target_type: 'api-key',
  target_id: `key_${n}`,
  before: null,
  after: null,
  request_id: null,
  client_address: null,
  user_agent: null,
  created_at: n,
});

/** Appends rows numbered from 1, which the sealer is to seal. */
async function append(count: number): Promise<number[]> {
  const seqs: number[] = [];
  for (let first = 1; first <= count; first += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, count - first + 1) }, (_, n) =>
      rowOf(first + n),
    );
    const added = await open.storage.transaction((tx) =>
      tx.insertInto('audit_log').values(rows).returning('seq').execute(),
    );
    seqs.push(...added.map(({ seq }) => seq));
  }
  return seqs.sort((a, b) => a - b);
}

/** As after a seal, or after another program removed the entry: the sealer does not look for the row. */
const removeEntries = (seqs: readonly number[]) =>
  open.storage.transaction((tx) =>
    tx.deleteFrom('audit_unsealed').where('seq', 'in', seqs).execute(),
  );

const setOf = (seqs: readonly number[]): SeqSet => {
  const set = new SeqSet();
  for (const seq of seqs) set.add(seq);
  return set;
};

const neverNeeded = async () => {
  throw new Error('there is no row that could have been sealed meanwhile');
};

describe('findUnsealed', () => {
  it('finds nothing in a log that is sealed', async () => {
    const seqs = await append(3);
    await removeEntries(seqs);
    expect(await findUnsealed(open.storage.read, setOf(seqs), neverNeeded)).toEqual({
      count: 0,
      newest: [],
      inserted: null,
    });
  });

  it('counts all unsealed rows of a long log and names the newest five, newest first', async () => {
    const seqs = await append(5_003);
    expect(await findUnsealed(open.storage.read, setOf(seqs.slice(0, 1)), neverNeeded)).toEqual({
      count: 5_002,
      newest: ['aud_5003', 'aud_5002', 'aud_5001', 'aud_5000', 'aud_4999'],
      inserted: null,
    });
  });

  it('verifies rows that were sealed meanwhile, and does not report them as inserted', async () => {
    const seqs = await append(4);
    await removeEntries(seqs.slice(0, 3));
    const sealed = setOf(seqs.slice(0, 1));
    const found = await findUnsealed(open.storage.read, sealed, async () => {
      for (const seq of seqs.slice(1, 3)) sealed.add(seq);
    });
    expect(found).toEqual({ count: 3, newest: ['aud_4', 'aud_3', 'aud_2'], inserted: null });
  });

  it('reports the first row that has neither a seal nor an entry for the sealer', async () => {
    const seqs = await append(4);
    await removeEntries(seqs.slice(0, 3));
    const sealed = setOf(seqs.slice(0, 1));
    const found = await findUnsealed(open.storage.read, sealed, async () => {});
    expect(found).toEqual({ count: 3, newest: ['aud_4', 'aud_3', 'aud_2'], inserted: 'aud_2' });
  });
});

describe('SeqSet', () => {
  it('contains exactly what was added, at the edges of its bytes and pages', () => {
    const added = [0, 7, 8, 65_535, 65_536, 131_072, 2 ** 32 + 9, 2 ** 53 - 1];
    const set = setOf(added);
    const near = added.flatMap((seq) => [seq - 1, seq, seq + 1]).filter((seq) => seq >= 0);
    for (const seq of near) expect([seq, set.has(seq)]).toEqual([seq, added.includes(seq)]);
  });
});
