import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateValue } from '../../src/kernel/secrets/key-values.ts';
import { statements } from '../../src/kernel/tracing.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const ROWS = 1_000;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** Counts the calls of a method of the secrets in each turn of the event loop, and keeps the most. */
function mostInOneTurn(method: 'hashValue' | 'encrypt'): { readonly most: number; stop(): void } {
  const { secrets } = test;
  const original = secrets[method] as (...all: string[]) => string;
  let [inThisTurn, most] = [0, 0];
  let next = setImmediate(function count() {
    inThisTurn = 0;
    next = setImmediate(count);
  });
  const counting = (...all: string[]) => {
    most = Math.max(most, ++inThisTurn);
    return original(...all);
  };
  Object.assign(secrets, { [method]: counting });
  return {
    get most() {
      return most;
    },
    stop() {
      clearImmediate(next);
      Object.assign(secrets, { [method]: original });
    },
  };
}

const rows = () =>
  Array.from({ length: ROWS }, (_, n) => ({ name: `Key ${n}`, key: generateValue('live_') }));

async function importRows(fields: object = {}): Promise<void> {
  const body = { projectId: test.projectId, keys: rows(), ...fields };
  const response = await test.client.post('/api-keys/import', body);
  expect(response.status).toBe(200);
  const imported = response.body.results.filter(
    ({ status }: { status: string }) => status === 'imported',
  );
  expect(imported).toHaveLength(ROWS);
}

it('checks and writes the rows of an import in slices of 25', async () => {
  const checked = mostInOneTurn('hashValue');
  let inserts = 0;
  const countInserts = (message: unknown) => {
    if (/^insert into "api_keys"/.test((message as { sql: string }).sql)) inserts++;
  };
  statements.start.subscribe(countInserts);
  try {
    await importRows();
    expect(checked.most).toBe(25);
    expect(inserts).toBe(ROWS / 25);
  } finally {
    checked.stop();
    statements.start.unsubscribe(countInserts);
  }
});

it('writes the events of an import in slices of 100, and all of them', async () => {
  const hook = await test.client.post('/webhooks', {
    name: 'Created keys',
    url: 'https://example.com/hook',
    projectId: test.projectId,
    topics: ['api-key.created'],
  });
  const encrypted = mostInOneTurn('encrypt');
  try {
    await importRows({ events: true });
    expect(encrypted.most).toBe(100);
  } finally {
    encrypted.stop();
  }
  const { n } = await test.storage.point
    .selectFrom('deliveries')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('webhook_id', '=', hook.body.id)
    .executeTakeFirstOrThrow();
  expect(Number(n)).toBe(ROWS);
});

it.each([
  ['/api-keys/import', 'keys'],
  ['/customers/import', 'customers'],
])('%s reads its rows in slices, so a row has a limit too', async (path, field) => {
  const numbers = Array(70 * 1024).fill(0);
  const body = { projectId: test.projectId, [field]: [{ customMetaData: { numbers } }] };
  expect((await test.client.post(path, body)).body).toMatchObject({
    code: 'invalid_body',
    message: expect.stringContaining('a value of more than 128 KB'),
  });
});
