import { createTestClient, type TestAnswer, type TestClient } from './test-client.ts';

const ORIGIN = 'https://keyward.example';

/** A browser of a person: keeps cookies as one does, and says where its pages are from. */
export interface TestPerson extends Omit<TestClient, 'as'> {
  /** Cookies by name, as they were set last. */
  readonly cookies: Map<string, string>;
  /** Every Set-Cookie line so far. */
  readonly setCookies: readonly string[];
  /** Calls are about this account from now on. */
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
  const keep = async (answering: Promise<TestAnswer>): Promise<TestAnswer> => {
    const answer = await answering;
    for (const line of answer.headers.getSetCookie()) {
      setCookies.push(line);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return {
    cookies,
    setCookies,
    useAccount(accountId) {
      account = accountId;
    },
    get: (path, given) => keep(client.get(path, headers(given))),
    post: (path, body, given) => keep(client.post(path, body, headers(given))),
    patch: (path, body, given) => keep(client.patch(path, body, headers(given))),
    delete: (path, given) => keep(client.delete(path, headers(given))),
  };
}
