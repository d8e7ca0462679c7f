import { afterEach, describe, expect, it, vi } from 'vitest';
import { Keyward, type KeywardOptions } from '../src/index.ts';
import { LocalKeyward } from '../src/local/index.ts';

const url = 'https://keys.example.com';
const accessKey = 'live_access_x';

describe.each([
  ['Keyward', Keyward],
  ['LocalKeyward', LocalKeyward],
])('%s on a server', (_name, Client) => {
  it.each<[string, KeywardOptions]>([
    ['undefined', { url, accessKey: undefined }],
    ['left out', { url }],
    ['empty', { url, accessKey: '' }],
    ['blank', { url, accessKey: ' \n' }],
  ])('throws when the access key is %s', (_case, options) => {
    expect(() => new Client(options)).toThrow(/`accessKey` is missing.*keys:validate.*variable/);
  });

  it.each<[string, KeywardOptions]>([
    ['undefined', { url: undefined, accessKey }],
    ['empty', { url: '', accessKey }],
  ])('throws when the address is %s', (_case, options) => {
    expect(() => new Client(options)).toThrow(/`url` is missing.*https:\/\/keys\.example\.com/);
  });

  it.each([Number.NaN, 0, -1, '5000'])('throws when the timeout is %j', (value) => {
    const timeoutMs = value as number;
    expect(() => new Client({ url, accessKey, timeoutMs })).toThrow(/`timeoutMs` must be a number/);
  });

  it('throws for an access key that is not a valid header value, without quoting it', () => {
    const construct = () => new Client({ url, accessKey: 'secret\nvalue' });
    expect(construct).toThrow(/`accessKey` contains characters/);
    expect(construct).not.toThrow(/secret/);
  });
});

it('accepts an access key with a trailing line break, as read from a file', async () => {
  const sent: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    sent.push(new Headers(init?.headers).get('x-api-key'));
    return Response.json({ name: 'Keyward' });
  };
  await new Keyward({ url, accessKey: `${accessKey}\n`, fetch }).server.product();
  await new Keyward({ url, accessKey: null, fetch }).server.product();
  expect(sent).toEqual([accessKey, null]);
});

it.each([0.5, 1500.7, 2 ** 31, Number.MAX_VALUE, Number.POSITIVE_INFINITY])(
  'accepts a timeout of %d ms, for all calls or for one',
  async (timeoutMs) => {
    const fetch: typeof globalThis.fetch = async () => Response.json({ name: 'Keyward' });
    const product = { name: 'Keyward' };
    const keyward = new Keyward({ url, accessKey, fetch, timeoutMs });
    expect(await keyward.server.product()).toEqual(product);
    const other = new Keyward({ url, accessKey, fetch });
    expect(await other.server.product({ timeoutMs })).toEqual(product);
  },
);

describe('in a browser', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('needs neither an access key nor an address: requests go to the origin of the page', async () => {
    vi.stubGlobal('location', { href: 'https://keys.example.com/dashboard/' });
    const sent: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      sent.push(String(input), new Headers(init?.headers).get('x-api-key'));
      return Response.json({ name: 'Keyward' });
    };
    await new Keyward({ fetch }).server.product();
    expect(new URL(String(sent[0]), url).origin).toBe(url);
    expect(sent[1]).toBeNull();
  });

  it('does not mistake Deno, whose `location` is undefined, for a browser', () => {
    vi.stubGlobal('location', undefined);
    expect(() => new Keyward({})).toThrow(TypeError);
  });
});
