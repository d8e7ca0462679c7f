import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { GATEWAYS, type Gateway, startGateway } from './gateway-process.ts';
import {
  DOCUMENTS,
  ENCODED,
  ENCODED_DOCUMENTS,
  PLAIN,
  SEGMENT,
  UNCLEAR,
  UNNAMED,
  UNUSUAL,
  widerSegment,
} from './paths.ts';
import { type RecordingApi, sendBytes, startRecordingApi } from './recording-api.ts';

let keyward: TestApp;
let api: RecordingApi;
let key: string;
let reader: string;
beforeAll(async () => {
  keyward = await startTestApp({ realClock: true });
  api = await startRecordingApi();
  const create = async (body: object) =>
    (await keyward.client.post('/api-keys', { name: 'K', projectId: keyward.projectId, ...body }))
      .body.key;
  key = await create({ permissions: ['reports.*'] });
  reader = await create({ permissions: ['documents.read'] });
});
afterAll(async () => {
  api.close();
  await keyward.close();
});
beforeEach(() => {
  api.requests.length = 0;
});

describe.each(GATEWAYS)('%s with its recipe', (name) => {
  let gateway: Gateway;
  /** The gateway with the wider pattern. */
  let wider: Gateway;
  beforeAll(async () => {
    const addresses = {
      keywardPort: Number(new URL(keyward.url).port),
      apiPort: api.port,
      accessKey: keyward.accessKey,
    };
    gateway = await startGateway(name, addresses);
    const edit = (recipe: string) => recipe.replace(SEGMENT, () => widerSegment());
    wider = await startGateway(name, { ...addresses, edit });
  });
  afterAll(async () => {
    await gateway.stop();
    await wider.stop();
  });

  const send = (target: string, { method = 'GET', as = key, to = gateway } = {}) =>
    sendBytes(
      to.url,
      `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nX-Api-Key: ${as}\r\n\r\n`,
    );
  const outcomes = async (targets: readonly string[], to = gateway) => {
    const found: Record<string, string> = {};
    for (const target of targets) {
      api.requests.length = 0;
      const { status } = await send(target, { to });
      found[target] = `${status}${api.requests.map(({ url }) => `, the API got ${url}`).join('')}`;
    }
    return found;
  };
  const all = (targets: readonly string[], outcome: string) =>
    Object.fromEntries(targets.map((target) => [target, outcome]));

  it('rejects paths that an API may read in another way', async () => {
    expect(await outcomes(UNCLEAR)).toEqual(all(UNCLEAR, '400'));
  });

  it('rejects unusual targets, or reads them as an API would', async () => {
    const found = await outcomes(UNUSUAL);
    expect([...new Set(Object.values(found))].sort().join()).toMatch(/^400(,403)?$/);
  });

  it('requires the permission of a path for each of its plain spellings', async () => {
    expect(await outcomes(DOCUMENTS)).toEqual(all(DOCUMENTS, '403'));
  });

  it('refuses paths that no rule names', async () => {
    expect(await outcomes(UNNAMED)).toEqual(all(UNNAMED, '404'));
  });

  it('passes on plain paths and any query, unchanged', async () => {
    const expected = PLAIN.map((target) => [target, `200, the API got ${target}`]);
    expect(await outcomes(PLAIN)).toEqual(Object.fromEntries(expected));
    expect((await send('/documents/7', { as: reader })).status).toBe(200);
    expect((await send('/documents/7', { as: reader, method: 'DELETE' })).status).toBe(403);
  });

  it('accepts spaces and letters outside ASCII with the wider pattern, and no other encoding', async () => {
    expect(await outcomes(UNCLEAR, wider)).toEqual(all(UNCLEAR, '400'));
    expect(await outcomes(ENCODED)).toEqual(all(ENCODED, '400'));
    const expected = ENCODED.map((target) => [target, `200, the API got ${target}`]);
    expect(await outcomes(ENCODED, wider)).toEqual(Object.fromEntries(expected));
    expect(await outcomes(ENCODED_DOCUMENTS, wider)).toEqual(all(ENCODED_DOCUMENTS, '403'));
    expect(await outcomes(UNNAMED, wider)).toEqual(all(UNNAMED, '404'));
  });
});
