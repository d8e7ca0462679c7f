import { createTestClient, type TestClient, type TestResponse } from './test-client.ts';

const ORIGIN = 'https://keyward.example';

/** A user's browser: stores cookies and sends the `Origin` header. */
export interface TestPerson extends Omit<TestClient, 'as'> {
  /** Present cookies by name. */
  readonly cookies: Map<string, string>;
  /** Every Set-Cookie line so far. */
  readonly setCookies: readonly string[];
  /** Later calls use this account. */
  useAccount(accountId: string | null): void;
}

export function createTestPerson(url: string): TestPerson {
  const client = createTestClient(url, null);
  const cookies = new Map<string, string>();
  const setCookies: string[] = [];
  let account: string | null = null;

  const headers = (given: Record<string, string> = {}): Record<string, string> => ({
    origin: ORIGIN,
    ...(account !== null && { 'x-keyward-account': account }),
    ...(cookies.size > 0 && {
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    }),
    ...given,
  });
  const storeCookies = async (pending: Promise<TestResponse>): Promise<TestResponse> => {
    const response = await pending;
    for (const line of response.headers.getSetCookie()) {
      setCookies.push(line);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return {
    cookies,
    setCookies,
    useAccount(accountId) {
      account = accountId;
    },
    get: (path, given) => storeCookies(client.get(path, headers(given))),
    post: (path, body, given) => storeCookies(client.post(path, body, headers(given))),
    patch: (path, body, given) => storeCookies(client.patch(path, body, headers(given))),
    delete: (path, given) => storeCookies(client.delete(path, headers(given))),
  };
}
