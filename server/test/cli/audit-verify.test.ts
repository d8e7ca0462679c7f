import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstBoot } from '../../src/app/first-boot.ts';
import { runCli } from '../../src/cli/run.ts';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';
import { Sealer } from '../../src/features/audit/index.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { deriveSecrets } from '../../src/kernel/secrets/crypto.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';
import { TEST_ROOT_SECRET } from '../harness/test-app.ts';

/** Changes the database file directly; `npx keyward audit verify` must name the changed row. */
const directory = mkdtempSync(join(tmpdir(), 'keyward-verify-'));
const untouched = join(directory, 'untouched.db');
/** The same rows and the same chain, in seals of five rows. */
const inFives = join(directory, 'in-fives.db');
const ROWS = 12;
/** Ids by position, from 1; the first three rows are from the first boot. */
let idAt: string[] = [];
let hashAt: string[] = [];

beforeAll(async () => {
  const storage = await openSqlite({ file: untouched });
  await migrate(storage, 0);
  const secrets = deriveSecrets(TEST_ROOT_SECRET);
  const ids = createIds();
  await firstBoot(storage, secrets, ids, 1_000, null);
  const account = await storage.point.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const rows = Array.from({ length: ROWS - 3 }, (_, n) => ({
    id: ids('aud'),
    account_id: account.id,
    project_id: null,
    actor_type: 'access-key',
    actor_id: 'ak_1',
    action: 'api-key.updated',
    target_type: 'api-key',
    target_id: `key_${n}`,
    before: null,
    after: `{"n":${n}}`,
    request_id: `req_${n}`,
    client_address: '127.0.0.1',
    user_agent: 'test',
    created_at: 2_000 + n,
  }));
  await storage.transaction((tx) => tx.insertInto('audit_log').values(rows).execute());
  await storage.close();
  cpSync(untouched, inFives);
  await sealed(inFives, 5);
  const seals = await sealed(untouched, 1);
  idAt = ['', ...seals.map(({ id }) => id)];
  hashAt = ['', ...seals.map(({ hash }) => hash)];
});
afterAll(() => rmSync(directory, { recursive: true }));

async function sealed(file: string, rowsPerStep: number) {
  const storage = await openSqlite({ file });
  const sealer = new Sealer({
    storage,
    secrets: deriveSecrets(TEST_ROOT_SECRET),
    clock: () => 3_000,
    onError: (error) => expect.unreachable(String(error)),
    rowsPerStep,
  });
  expect(await sealer.seal()).toBe(ROWS);
  const seals = await storage.read
    .selectFrom('audit_seals')
    .innerJoin('audit_log', 'seq', 'audit_seq')
    .select(['id', 'hash'])
    .orderBy('position')
    .execute();
  expect(seals).toHaveLength(Math.ceil(ROWS / rowsPerStep));
  await storage.close();
  return seals;
}

/** The rows after this position are not sealed yet. */
const unsealed = (position: number) => `DELETE FROM audit_seals WHERE position > ${position};
  INSERT INTO audit_unsealed SELECT seq FROM audit_log WHERE seq > ${position}`;

let copies = 0;

/** Copies the data directory and runs the statements on the database of the copy. */
function tampered(statements: string, original = untouched): string {
  const data = join(directory, String(copies++));
  mkdirSync(data);
  cpSync(original, join(data, 'keyward.db'));
  const database = new DatabaseSync(join(data, 'keyward.db'));
  database.exec(statements);
  database.close();
  return data;
}

async function verify(data: string, argv: readonly string[] = [], secret = TEST_ROOT_SECRET) {
  const output = { out: '', err: '' };
  const terminal: Terminal = {
    env: { KEYWARD_SECRET: secret },
    columns: null,
    out: (text) => {
      output.out += text;
    },
    err: (text) => {
      output.err += text;
    },
    progress: () => {},
    style: (_, text) => text,
    readInput: async () => '',
  };
  const code = await runCli(['audit', 'verify', '--data-dir', data, ...argv], terminal);
  return { code, ...output };
}

async function brokenIn(statements: string, argv: readonly string[] = [], original = untouched) {
  const data = tampered(statements, original);
  const { code, out } = await verify(data, [...argv, '--json']);
  const printed = await verify(data, argv);
  expect(code).toBe(1);
  expect(printed.code).toBe(1);
  expect(printed.out).toMatch(/^Broken: /);
  const { broken } = JSON.parse(out);
  if (broken.id !== null) expect(printed.out).toContain(broken.id);
  if (broken.position !== null) expect(printed.out).toContain(`position ${broken.position}`);
  return broken;
}

describe('an unmodified log', () => {
  it('is verified, with the head of its chain', async () => {
    expect(await verify(tampered(''))).toEqual({
      code: 0,
      out: `${ROWS} rows verified, 0 unsealed\nhead ${ROWS}:${hashAt[ROWS]}\n`,
      err: '',
    });
  });

  it('is verified up to its unsealed rows, which are counted and listed, newest first', async () => {
    const data = tampered(unsealed(ROWS - 2));
    const { code, out } = await verify(data);
    expect(code).toBe(0);
    expect(out).toContain(
      `${ROWS - 2} rows verified, 2 unsealed (newest first: ${idAt[ROWS]}, ${idAt[ROWS - 1]})\n`,
    );
  });

  it('contains every head that was ever printed', async () => {
    const data = tampered('');
    for (const position of [1, 5, ROWS]) {
      const head = `${position}:${hashAt[position]}`;
      expect((await verify(data, ['--head', head])).code).toBe(0);
    }
  });

  it('is verified in a backup, which has another journal mode', async () => {
    expect((await verify(tampered('PRAGMA journal_mode = DELETE'))).code).toBe(0);
  });

  it('is not reported as broken if the secret is wrong', async () => {
    const { code, out, err } = await verify(tampered(''), [], 'x'.repeat(40));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('the root secret does not belong to this database');
    expect(err).not.toContain('x'.repeat(40));
  });

  it('reports a missing log', async () => {
    const { code, err } = await verify(join(directory, 'nowhere'));
    expect(code).toBe(2);
    expect(err).toContain('There is no database at');
    expect((await verify(tampered(''), ['--head', '12'])).code).toBe(2);
  });
});

describe('a changed row is reported', () => {
  const OTHER: Record<string, string> = {
    id: `'aud_00000000000000000000000000'`,
    project_id: `'prj_x'`,
    before: `'{}'`,
    created_at: 'created_at + 1',
  };
  it.each([
    ...['id', 'account_id', 'project_id', 'actor_type', 'actor_id', 'action', 'target_type'],
    ...['target_id', 'before', 'after', 'request_id', 'client_address', 'user_agent', 'created_at'],
  ])('by its %s', async (column) => {
    const broken = await brokenIn(
      `UPDATE audit_log SET "${column}" = ${OTHER[column] ?? `'other'`} WHERE seq = 7`,
    );
    expect(broken).toMatchObject({ fault: 'changed', position: 7, after: idAt[6] });
    expect(broken.id).toBe(column === 'id' ? 'aud_00000000000000000000000000' : idAt[7]);
  });

  it.each([
    ['a number too large to read', 'UPDATE audit_log SET created_at = 1 << 60 WHERE seq = 7'],
    ['bytes instead of text', `UPDATE audit_log SET action = x'61' WHERE seq = 7`],
    ['a changed hash', `UPDATE audit_seals SET hash = 'x' WHERE position = 7`],
    ['a changed sealing time', 'UPDATE audit_seals SET sealed_at = 1 WHERE position = 7'],
  ])('with %s', async (_, statement) => {
    expect(await brokenIn(statement)).toMatchObject({
      fault: 'changed',
      position: 7,
      id: idAt[7],
    });
  });

  it('even if every later seal is replaced without the secret', async () => {
    const forged = Array.from({ length: ROWS - 6 }, (_, n) => {
      const hash = createHash('sha256').update(`forged ${n}`).digest('base64url');
      return `UPDATE audit_seals SET hash = '${hash}' WHERE position = ${7 + n};`;
    });
    const broken = await brokenIn(
      `UPDATE audit_log SET action = 'x.y' WHERE seq = 7; ${forged.join('')}`,
    );
    expect(broken).toMatchObject({ fault: 'changed', position: 7, id: idAt[7] });
  });
});

/** Swaps in two steps, since both columns are unique. */
const swapped = (table: string, column: string) => `
  UPDATE ${table} SET ${column} = -1 WHERE ${column} = 7;
  UPDATE ${table} SET ${column} = 7 WHERE ${column} = 9;
  UPDATE ${table} SET ${column} = 9 WHERE ${column} = -1`;

const inserted = (seq: number) => `
  INSERT INTO audit_log (seq, id, account_id, actor_type, actor_id, action, target_type, target_id, created_at)
  SELECT ${seq}, 'aud_forged', account_id, actor_type, actor_id, action, target_type, target_id, created_at
  FROM audit_log WHERE seq = 7;`;

/** Also removes the entry that a trigger inserts, so that the row is never sealed. */
const unlisted = (seq: number) => `${inserted(seq)} DELETE FROM audit_unsealed`;

describe('other damage is reported', () => {
  it.each([
    [
      'a deleted row',
      'DELETE FROM audit_log WHERE seq = 7',
      () => ({ fault: 'row missing', position: 7, id: null, after: idAt[6] }),
    ],
    [
      'a deleted first row',
      'DELETE FROM audit_log WHERE seq = 1',
      () => ({ fault: 'row missing', position: 1, id: null, after: null }),
    ],
    [
      'a deleted seal',
      'DELETE FROM audit_seals WHERE position = 7',
      () => ({ fault: 'seal missing', position: 7, id: idAt[7] }),
    ],
    [
      'a row deleted with its seal',
      'DELETE FROM audit_log WHERE seq = 7; DELETE FROM audit_seals WHERE position = 7',
      () => ({ fault: 'seal missing', position: 7, id: null, after: idAt[6] }),
    ],
    [
      'a row deleted with its seal, and the gap closed',
      `DELETE FROM audit_log WHERE seq = 7; DELETE FROM audit_seals WHERE position = 7;
       UPDATE audit_seals SET position = -position WHERE position > 7;
       UPDATE audit_seals SET position = -position - 1 WHERE position < 0`,
      () => ({ fault: 'changed', position: 7, id: idAt[8] }),
    ],
    [
      'swapped seals',
      swapped('audit_seals', 'position'),
      () => ({ fault: 'out of order', position: 7, id: idAt[9], belongs: idAt[7] }),
    ],
    [
      'seals that refer to each other’s rows',
      swapped('audit_seals', 'audit_seq'),
      () => ({ fault: 'out of order', position: 7, id: idAt[9], belongs: idAt[7] }),
    ],
    [
      'swapped rows',
      swapped('audit_log', 'seq'),
      () => ({ fault: 'out of order', position: 7, id: idAt[9], belongs: idAt[7] }),
    ],
    [
      'a row added at the end with a forged seal',
      `${inserted(ROWS + 1)} INSERT INTO audit_seals VALUES (${ROWS + 1}, ${ROWS + 1}, '${'A'.repeat(43)}', 3000, NULL)`,
      () => ({ fault: 'changed', position: ROWS + 1, id: 'aud_forged' }),
    ],
    [
      'a row inserted with a forged seal, and the rest moved up',
      `${inserted(ROWS + 1)}
       UPDATE audit_seals SET position = -position WHERE position >= 7;
       UPDATE audit_seals SET position = 1 - position WHERE position < 0;
       INSERT INTO audit_seals VALUES (7, ${ROWS + 1}, '${'A'.repeat(43)}', 3000, NULL)`,
      () => ({ fault: 'out of order', position: 7, id: 'aud_forged', belongs: idAt[7] }),
    ],
    [
      'a row inserted before the first one, without a seal',
      unlisted(0),
      () => ({ fault: 'inserted', position: null, id: 'aud_forged' }),
    ],
    [
      'a row inserted at the end, without a seal',
      unlisted(ROWS + 1),
      () => ({ fault: 'inserted', position: null, id: 'aud_forged' }),
    ],
    [
      'a seal deleted at the end',
      `DELETE FROM audit_seals WHERE position = ${ROWS}`,
      () => ({ fault: 'inserted', position: null, id: idAt[ROWS] }),
    ],
  ])('%s', async (_, statements, expected) => {
    expect(await brokenIn(statements)).toMatchObject(expected());
  });
});

describe('rows removed from the end with their seals', () => {
  const cut = `DELETE FROM audit_seals WHERE position > 8; DELETE FROM audit_log WHERE seq > 8`;

  it('are not detected from the rest', async () => {
    expect((await verify(tampered(cut))).code).toBe(0);
  });

  it('are detected with a head that was kept elsewhere', async () => {
    const head = `${ROWS}:${hashAt[ROWS]}`;
    expect(await brokenIn(cut, ['--head', head])).toMatchObject({
      fault: 'head not found',
      position: ROWS,
    });
    const kept = `8:${hashAt[8]}`;
    expect((await verify(tampered(cut), ['--head', kept])).code).toBe(0);
    expect(await brokenIn('', ['--head', `8:${hashAt[7]}`])).toMatchObject({
      fault: 'head not found',
    });
  });
});

/** The seals cover rows 1 to 5, rows 6 to 10, and the last two rows. */
describe('with seals for several rows', () => {
  it('verification prints the same head as with one seal per row, and --head accepts a position inside a seal', async () => {
    const data = tampered('', inFives);
    expect(await verify(data)).toEqual({
      code: 0,
      out: `${ROWS} rows verified, 0 unsealed\nhead ${ROWS}:${hashAt[ROWS]}\n`,
      err: '',
    });
    for (const position of [1, 5, 7, ROWS])
      expect((await verify(data, ['--head', `${position}:${hashAt[position]}`])).code).toBe(0);
    expect(await brokenIn('', ['--head', `7:${hashAt[8]}`], inFives)).toMatchObject({
      fault: 'head not found',
    });
  });

  it('unsealed rows are reported', async () => {
    const { code, out } = await verify(tampered(unsealed(ROWS - 2), inFives));
    expect(code).toBe(0);
    expect(out).toContain(`${ROWS - 2} rows verified, 2 unsealed (newest first: ${idAt[ROWS]}, `);
  });

  it('the chain continues after seals of one row, as older versions made them', async () => {
    const data = tampered(unsealed(4));
    const storage = await openSqlite({ file: join(data, 'keyward.db') });
    const secrets = deriveSecrets(TEST_ROOT_SECRET);
    await new Sealer({ storage, secrets, clock: () => 3_000, onError: () => {} }).seal();
    await storage.close();
    expect((await verify(data)).out).toContain(`head ${ROWS}:${hashAt[ROWS]}`);
  });

  /** The line of a row in the seal of rows 6 to 10. */
  const link = (n: number) => `${n} ${hashAt[n]}`;
  const relinked = (from: string, to: string) =>
    `UPDATE audit_seals SET links = replace(links, '${from}', '${to}') WHERE position = 10`;

  it.each([
    [
      'a changed row',
      () => `UPDATE audit_log SET action = 'x.y' WHERE seq = 7`,
      () => ({ fault: 'changed', position: 7, id: idAt[7], after: idAt[6] }),
    ],
    [
      'a changed row that cannot be parsed',
      () => 'UPDATE audit_log SET created_at = 1 << 60 WHERE seq = 7',
      () => ({ fault: 'changed', position: 7, id: idAt[7], after: idAt[6] }),
    ],
    [
      'a changed row with a forged hash',
      () =>
        `UPDATE audit_log SET action = 'x.y' WHERE seq = 7; ${relinked(link(7), `7 ${'A'.repeat(43)}`)}`,
      () => ({ fault: 'changed', position: 7, id: idAt[7] }),
    ],
    [
      'a deleted row',
      () => 'DELETE FROM audit_log WHERE seq = 7',
      () => ({ fault: 'row missing', position: 7, id: null, after: idAt[6] }),
    ],
    [
      'a row deleted with its line',
      () => `DELETE FROM audit_log WHERE seq = 7; ${relinked(`${link(7)}\n`, '')}`,
      () => ({ fault: 'seal missing', position: 6, after: idAt[5] }),
    ],
    [
      'a deleted line',
      () => relinked(`${link(7)}\n`, ''),
      () => ({ fault: 'seal missing', position: 6, id: idAt[7] }),
    ],
    [
      'swapped lines',
      () => relinked(`${link(7)}\n${link(8)}`, `${link(8)}\n${link(7)}`),
      () => ({ fault: 'out of order', position: 7, id: idAt[8], belongs: idAt[7] }),
    ],
    [
      'unparseable lines',
      () => `UPDATE audit_seals SET links = 'x' WHERE position = 10`,
      () => ({ fault: 'changed', position: 6, after: idAt[5] }),
    ],
    [
      'a changed sealing time',
      () => 'UPDATE audit_seals SET sealed_at = 1 WHERE position = 10',
      () => ({ fault: 'changed', position: 6, id: idAt[6] }),
    ],
    [
      'a deleted seal',
      () => 'DELETE FROM audit_seals WHERE position = 10',
      () => ({ fault: 'seal missing', position: 6, id: idAt[6] }),
    ],
    [
      'a row inserted before the first one, without a seal',
      () => unlisted(0),
      () => ({ fault: 'inserted', position: null, id: 'aud_forged' }),
    ],
  ])('%s: reported', async (_, statements, expected) => {
    expect(await brokenIn(statements(), [], inFives)).toMatchObject(expected());
  });
});
