import { createHmac, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  AUDIT_COLUMNS,
  type AuditRow,
  linkText,
  parseLinks,
} from '../../src/features/audit/chain.ts';
import { Sealer, verifyChain } from '../../src/features/audit/index.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { deriveSecrets } from '../../src/kernel/secrets/crypto.ts';
import type { Storage } from '../../src/storage/index.ts';
import { openTestStorage } from '../harness/test-storage.ts';

const ROOT = 'the root secret of a chain that is only for tests';
const secrets = deriveSecrets(ROOT);
const ids = createIds();

let open: Awaited<ReturnType<typeof openTestStorage>>;
beforeEach(async () => {
  open = await openTestStorage();
});
afterEach(() => open.dispose());

const sealerOver = (storage: Storage, rowsPerStep = 250) =>
  new Sealer({ storage, secrets, clock: () => 1_000, onError: () => {}, rowsPerStep });

async function append(texts: readonly (string | null)[]): Promise<void> {
  if (texts.length === 0) return;
  const rows = texts.map((text, n) => ({
    id: ids('aud'),
    account_id: 'acc_1',
    project_id: n % 2 === 0 ? 'prj_1' : null,
    actor_type: 'access-key',
    actor_id: 'ak_1',
    action: 'api-key.updated',
    target_type: 'api-key',
    target_id: 'key_1',
    before: text,
    after: text === null ? null : JSON.stringify({ text }),
    request_id: text,
    client_address: null,
    user_agent: text,
    created_at: 1_000 + n,
  }));
  await open.storage.transaction((tx) => tx.insertInto('audit_log').values(rows).execute());
}

const verify = () => verifyChain(open.storage.read, secrets.hashAuditLink);

const sealRows = () =>
  open.storage.read.selectFrom('audit_seals').selectAll().orderBy('position').execute();

/** The hash of each position of the chain, over all seals. */
const hashes = async () =>
  (await sealRows()).flatMap((seal) => {
    const links = [...parseLinks(seal.links)!, { auditSeq: seal.audit_seq, hash: seal.hash }];
    return links.map(({ auditSeq, hash }, n) => ({
      position: seal.position - links.length + 1 + n,
      auditSeq,
      hash,
    }));
  });

/** The hash rule of docs/decisions/0011-audit-chain.md, implemented independently. */
async function recomputeHashes(): Promise<string[]> {
  const key = Buffer.from(hkdfSync('sha256', ROOT, 'keyward', 'audit chain', 32));
  const rows = await open.storage.read.selectFrom('audit_log').selectAll().orderBy('seq').execute();
  let previous = '';
  return rows.map((row, n) => {
    const fields = [previous, n + 1, 1_000];
    for (const column of AUDIT_COLUMNS) fields.push(row[column] as never);
    previous = createHmac('sha256', key).update(JSON.stringify(fields)).digest('base64url');
    return previous;
  });
}

/** Fails inside the transaction, after everything in it was written. */
const failing = (storage: Storage): Storage => ({
  ...storage,
  transaction: (work) =>
    storage.transaction(async (tx) => {
      await work(tx);
      throw new Error('injected');
    }),
});

/** Runs `happens` before the first write, or right after it, before the writer gets the result. */
function overtaken(
  storage: Storage,
  when: 'before' | 'after',
  happens: () => Promise<void>,
): Storage {
  let isFirst = true;
  return {
    ...storage,
    async transaction(work, options) {
      const isOvertaken = isFirst;
      isFirst = false;
      if (isOvertaken && when === 'before') await happens();
      const result = await storage.transaction(work, options);
      if (isOvertaken && when === 'after') await happens();
      return result;
    },
  };
}

const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 20 }), { nil: null });
const step = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), texts: fc.array(text, { maxLength: 12 }) }),
  fc.record({ kind: fc.constant('seal' as const), rowsPerStep: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('fail' as const) }),
  fc.record({ kind: fc.constant('race' as const), rowsPerStep: fc.integer({ min: 1, max: 5 }) }),
);

async function play(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) {
  for (const each of steps) {
    if (each.kind === 'append') await append(each.texts);
    else if (each.kind === 'fail')
      await sealerOver(failing(open.storage))
        .seal()
        .catch(() => {});
    else {
      const sealers = [1, 2].slice(each.kind === 'seal' ? 1 : 0);
      await Promise.all(sealers.map(() => sealerOver(open.storage, each.rowsPerStep).seal()));
    }
  }
}

describe('the chain', () => {
  it('is the same for any step size, after failures, and with two sealers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        await play(steps);
        expect((await verify()).broken).toBeNull();
        await sealerOver(open.storage).seal();
        const seals = await hashes();
        expect(seals.map(({ hash }) => hash)).toEqual(await recomputeHashes());
        expect(seals.map(({ position }) => position)).toEqual(seals.map((_, n) => n + 1));
        expect(await verify()).toMatchObject({
          proven: seals.length,
          unsealed: { count: 0 },
          broken: null,
        });
      }),
      { numRuns: 40 },
    );
  });

  it('accepts every character that a row can hold', async () => {
    const characters = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code + 1));
    const rare = ['\u2028', '\u2029', '\ufeff', '\uffff', '\ud800', '🔑', '鍵', '</script>', ''];
    await append([...characters, characters.join(''), ...rare]);
    await sealerOver(open.storage).seal();
    expect((await hashes()).map(({ hash }) => hash)).toEqual(await recomputeHashes());
  });

  it('continues past a row with values that Keyward did not write', async () => {
    await append(['a', 'b']);
    const { engine } = open.storage;
    // Only SQLite stores values of another type than declared.
    const odd = engine === 'sqlite' ? sql`x'0102'` : sql`'by hand'`;
    await open.storage.transaction((tx) =>
      sql`update audit_log set before = ${odd} where seq = 1`.execute(tx),
    );
    expect(await sealerOver(open.storage).seal()).toBe(2);
    expect((await verify()).broken).toBeNull();
  });

  it('has one seal for the rows of a step', async () => {
    await append(Array.from({ length: 7 }, (_, n) => `row ${n}`));
    await sealerOver(open.storage, 5).seal();
    const seals = await sealRows();
    expect(seals.map(({ position, audit_seq }) => [position, audit_seq])).toEqual([
      [5, 5],
      [7, 7],
    ]);
    expect((await hashes()).map(({ auditSeq }) => auditSeq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('rejects a seal for rows that were sealed meanwhile', async () => {
    await append(['a', 'b', 'c']);
    const overtaking = async () => {
      await append(['late']);
      await sealerOver(open.storage).seal();
    };
    expect(await sealerOver(overtaken(open.storage, 'before', overtaking)).seal()).toBe(0);
    expect((await hashes()).map(({ position }) => position)).toEqual([1, 2, 3, 4]);
    expect(await verify()).toMatchObject({ proven: 4, broken: null });
  });

  it('repeats a failed step, which leaves nothing behind', async () => {
    await append(['a', 'b', 'c']);
    await expect(sealerOver(failing(open.storage)).seal()).rejects.toThrow('injected');
    expect(await sealRows()).toEqual([]);
    expect((await verify()).unsealed.count).toBe(3);
    expect(await sealerOver(open.storage).seal()).toBe(3);
  });

  it('contains all rows when the sealer is stopped', async () => {
    const sealer = sealerOver(open.storage);
    sealer.start();
    await append(['a', 'b', 'c']);
    await sealer.stop();
    expect(await hashes()).toHaveLength(3);
  });

  it('contains a row that was added during the last run', async () => {
    const sealer = sealerOver(overtaken(open.storage, 'after', () => append(['late'])));
    await append(['a', 'b', 'c']);
    const underWay = sealer.seal();
    await Promise.all([underWay, sealer.stop()]);
    expect(await underWay).toBe(3);
    expect(await hashes()).toHaveLength(4);
  });

  it('detects a change of any column of any row and names its position', async () => {
    await append(Array.from({ length: 20 }, (_, n) => `row ${n}`));
    await sealerOver(open.storage).seal();
    const rows = await open.storage.read.selectFrom('audit_log').selectAll().execute();
    const columns = AUDIT_COLUMNS.filter((column) => column !== 'seq');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...rows),
        fc.constantFrom(...columns),
        fc.string({ minLength: 1, maxLength: 10 }),
        async (row, column, other) => {
          const value = column === 'created_at' ? row.created_at + other.length : other;
          fc.pre(row[column] !== value && !other.includes('\0'));
          await change(row, column, value);
          const { broken, proven } = await verify();
          await change(row, column, row[column]);
          expect(broken).toMatchObject({ fault: 'changed', position: row.seq });
          expect(broken?.id).toBe(column === 'id' ? value : row.id);
          expect(proven).toBe(row.seq - 1);
        },
      ),
      { numRuns: 100 },
    );
    expect((await verify()).broken).toBeNull();
  });
});

/** Bypasses the types, which do not allow changing a row. */
async function change(row: AuditRow, column: keyof AuditRow, value: unknown): Promise<void> {
  await open.storage.transaction((tx) =>
    tx
      .updateTable('audit_log')
      .set({ [column]: value } as never)
      .where('seq', '=', row.seq)
      .execute(),
  );
}

describe('what is hashed', () => {
  const row = Object.fromEntries(AUDIT_COLUMNS.map((column) => [column, 'x'])) as never as AuditRow;
  const link = (change: Partial<AuditRow>) => ({
    position: 1,
    sealedAt: 1,
    row: { ...row, ...change },
  });

  it('differs for fields that would be equal when concatenated', () => {
    const texts = [
      linkText('', link({})),
      linkText('', link({ before: null })),
      linkText('', link({ before: 'null' })),
      linkText('', link({ before: '' })),
      linkText('', link({ actor_type: 'xx', actor_id: '' })),
      linkText('', link({ created_at: 1 })),
      linkText('', link({ created_at: '1' as never })),
      linkText('', { ...link({}), position: 2 }),
      linkText('', { ...link({}), sealedAt: 2 }),
      linkText('h', link({})),
    ];
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('covers every column', async () => {
    await append(['a']);
    const stored = await open.storage.read
      .selectFrom('audit_log')
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(Object.keys(stored).toSorted()).toEqual([...AUDIT_COLUMNS].toSorted());
  });
});
