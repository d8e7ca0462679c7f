// 6 s of CPU: random requests to every route.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operatorHeaders } from '../../../src/cli/operator.ts';
import { RawConnection } from '../../harness/raw-connection.ts';
import { type RawHttpResponse, readResponse } from '../../harness/raw-http.ts';
import { figure, scaled, timeoutMs } from '../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../harness/seeded-random.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createTestClient } from '../../harness/test-client.ts';
import { FuzzRequests } from './fuzz-requests.ts';
import { FuzzValues } from './fuzz-values.ts';

const INPUTS = scaled(100_000, 5_000);
/** A larger input may be reset before its response: the server does not read the rest of a rejected body. */
const LARGE_BYTES = 32 * 1024;
const BROKEN_SHARE = 0.2;
const CONNECTIONS = 6;
/** The ping sends requests to any given URL; the response of the change stream never ends. */
const EXCLUDED_PATHS = new Set(['/webhooks/ping', '/changes']);

const OTHER_TENANTS_SECRET = 'what-only-the-other-tenant-may-see';

let app: TestApp;
/** Values that must never appear in a response or in the log. */
const hidden: string[] = [OTHER_TENANTS_SECRET];
const ownValues: string[] = [];
const credentials: string[] = [];
const known: string[] = [];

beforeAll(async () => {
  app = await startTestApp();
  await makeOtherTenant();
  const { client } = app;
  const spare = (await client.post('/projects', { name: 'spare', env: 'test' })).body;
  known.push(app.accountId, spare.id);
  for (const scopes of [['*'], ['keys:read', 'keys:validate'], ['access-keys:write']]) {
    const made = (await client.post('/access-keys', { name: 'in use', scopes })).body;
    credentials.push(made.key);
    known.push((await client.post('/access-keys', { name: 'to be changed', scopes })).body.id);
  }
  credentials.push(app.accessKey, app.accessKey, app.accessKey);
  for (const projectId of [app.projectId, spare.id]) {
    const made = (await client.post('/api-keys', { name: 'fuzzed', projectId })).body;
    known.push(made.id, made.key);
    ownValues.push(made.key);
  }
});
afterAll(() => app.close());

/** Another account; its ids are sent, and responses are searched for its secrets. */
async function makeOtherTenant(): Promise<void> {
  const operator = async (path: string, body: object) => {
    const { now } = app.clock;
    const { signOperator } = app.secrets;
    const headers = operatorHeaders(signOperator, 'POST', path, JSON.stringify(body), now);
    return (await createTestClient(app.url, null).post(path, body, headers)).body;
  };
  // An invitation link shows the names of the account and the inviter, so these are not secret.
  const account = await operator('/accounts', { name: 'Other tenant' });
  const access = await operator('/access-keys', { name: 'Inviter', accountId: account.id });
  const client = createTestClient(app.url, access.key);
  const project = (await client.post('/projects', { name: OTHER_TENANTS_SECRET })).body;
  const key = (
    await client.post('/api-keys', {
      name: OTHER_TENANTS_SECRET,
      customMetaData: { hidden: OTHER_TENANTS_SECRET },
    })
  ).body;
  const invited = { emails: [`${OTHER_TENANTS_SECRET}@example.com`], role: 'viewer' };
  const [invitation] = (await client.post('/invitations', invited)).body;
  known.push(account.id, access.id, project.id, key.id, invitation.id);
  hidden.push(access.key, key.key);
}

function check({ status, headers, text }: RawHttpResponse, method: string): void {
  if (status >= 500) throw new Error(`response with status ${status}: ${text}`);
  for (const secret of hidden)
    if (text.includes(secret)) throw new Error(`another tenant's secret: ${text.slice(0, 500)}`);
  if (status < 400 || method === 'HEAD') return;
  if (!headers['content-type']?.startsWith('application/json'))
    throw new Error(`an error that is not JSON: ${status} ${text.slice(0, 500)}`);
  const error = JSON.parse(text);
  if (error.statusCode !== status || !error.code || !error.message || !error.requestId)
    throw new Error(`an error without its fields: ${text}`);
  if (/\.ts:\d+|node_modules|SQLITE|select .* from/i.test(error.message))
    throw new Error(`an error that exposes internals: ${text}`);
}

/** Checks the responses to a broken input: each must be complete and valid. */
function checkAll(bytes: Buffer): number {
  let rest = bytes;
  let responses = 0;
  while (rest.length > 0) {
    const found = readResponse(rest, 'GET');
    // Truncated: the input ended, and the connection closed in the middle of a long list.
    if (found === null) return responses;
    check(found.response, 'GET');
    responses++;
    rest = found.rest;
  }
  return responses;
}

it(
  'no input causes a 500, a hang, a crash or a leak of another tenant’s secret',
  async () => {
    const seed = runSeed();
    const statuses = new Map<number, number>();
    let left = INPUTS;
    const worker = async (n: number): Promise<void> => {
      const random = new SeededRandom(seed + n);
      const values = new FuzzValues(random, known);
      const routes = app.app.routes.filter((route) => !EXCLUDED_PATHS.has(route.path));
      const requests = new FuzzRequests(random, values, routes, credentials);
      const connection = new RawConnection(app.url);
      while (left-- > 0) {
        const isBroken = random.chance(BROKEN_SHARE);
        const input = isBroken ? { method: '', bytes: requests.broken() } : requests.next();
        try {
          if (isBroken) checkAll(await connection.sendBytes(input.bytes));
          else {
            const response = await connection.request(input.bytes, input.method);
            check(response, input.method);
            statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          }
        } catch (error) {
          // A large body that the server does not read may reset the connection before its response.
          const isReset = (error as NodeJS.ErrnoException).code === 'ECONNRESET';
          if (isReset && input.bytes.length > LARGE_BYTES) continue;
          const shown = JSON.stringify(input.bytes.toString('latin1').slice(0, 2_000));
          throw new Error(`seed ${seed}: ${(error as Error).message}\ninput: ${shown}`);
        }
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => worker(n)));
    const counted = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}×${n}`);
    console.log(`fuzz: ${figure(INPUTS)} inputs (seed ${seed}), no 500: ${counted.join(' ')}`);

    expect((await app.client.get('/healthz')).status).toBe(200);
    expect((await app.client.get('/accounts')).status).toBe(200);
    // The inputs reached all of these outcomes.
    for (const status of [200, 201, 400, 401, 403, 404, 415])
      expect(statuses.get(status) ?? 0).toBeGreaterThan(0);
    for (const line of app.log) {
      if (line.includes('unexpected error')) throw new Error(line);
      for (const value of [...hidden, ...ownValues, ...credentials])
        if (line.includes(value)) throw new Error(`the log contains a secret: ${line}`);
    }
  },
  timeoutMs,
);
