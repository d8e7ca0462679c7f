import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../../src/cli/run.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ realClock: true });
  for (const [name, times] of Object.entries({ Busy: 8, Quiet: 2, Unused: 0 })) {
    const { body } = await test.client.post('/api-keys', { name });
    for (let n = 0; n < times; n++) await test.client.post(`/api-keys/auth/${body.key}`);
  }
  await test.app.tally.flush();
});
afterAll(() => test.close());

async function keyward(argv: string[], columns: number | null = null) {
  const result = { code: 0, out: '', err: '' };
  result.code = await runCli(argv, {
    env: { KEYWARD_URL: test.url, KEYWARD_ACCESS_KEY: test.accessKey },
    columns,
    out: (text) => {
      result.out += text;
    },
    err: (text) => {
      result.err += text;
    },
    progress: () => {},
    style: (_, text) => text,
    readInput: async () => '',
  });
  return result;
}

it('shows the number of validations per key, highest first', async () => {
  const { code, out } = await keyward(['usage', '--by', 'key', '--last', '7d'], 40);
  expect(code).toBe(0);
  const [first, second, end] = out.split('\n');
  expect(first).toMatch(/^Busy {3}8 {2}█+$/);
  expect(second).toMatch(/^Quiet {2}2 {2}█+[▏▎▍▌▋▊▉]?$/);
  expect(end).toBe('');
  expect(out).not.toContain('Unused');
});

it('shows outcomes, and validations over time, in plain characters without a terminal', async () => {
  expect((await keyward(['usage', '--by', 'outcome'])).out).toMatch(/^valid +10 {2}#+\n/);
  expect((await keyward(['usage', '--by', 'time', '--last', '1h'])).out).toMatch(
    /\d{4}-\d\d-\d\d \d\d:\d\d +\d+ {2}#+\n/,
  );
});

it('shows the cost of valid requests instead of their number', async () => {
  const reported = await test.client.post('/api-keys', { name: 'Costly', customAccountId: 'acme' });
  await test.client.post('/usage', {
    reporter: 'reporter-of-the-test',
    number: 1,
    agoMs: 0,
    counts: [{ keyId: reported.body.id, outcome: 'valid', count: 1, cost: 400 }],
  });
  const { out } = await keyward(['usage', '--by', 'customer', '--cost', '--customer', 'acme']);
  expect(out).toMatch(/^acme +400 {2}#+\n$/);
  expect((await keyward(['usage', '--by', 'plan'])).out).toMatch(/^\(none\) +11 {2}#+\n$/);
  await test.client.delete(`/api-keys/${reported.body.id}?permanent=true`);
});

it('prints the rows as JSON for scripts', async () => {
  const rows = JSON.parse((await keyward(['usage', '--json'])).out);
  expect(rows.map(({ name, total }: { name: string; total: number }) => [name, total])).toEqual([
    ['Quiet', 2],
    ['Busy', 8],
  ]);
});

it.each([
  [['usage', '--by', 'colour'], '--by takes key, customer'],
  [['usage', '--last', 'a week'], '--last takes seconds'],
  [['usage', '--interval', 'year'], '--interval takes minute'],
  [['usage', '--cost', '--unit', 'tokens'], 'either --cost or --unit'],
])('%j is rejected with a reason', async (argv, reason) => {
  const { code, err } = await keyward(argv);
  expect(code).toBe(2);
  expect(err).toContain(reason);
});

it('reports an unknown project', async () => {
  const { out, err } = await keyward(['usage', '--by', 'customer', '--project', 'prj_none']);
  expect(out).toBe('');
  expect(err).toContain('There is no such project');
});
