import { SESSION_COOKIE } from '../../../src/features/people/index.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'a long password of a reader';

/** A fresh server, and what its reader has set before the first sample of the API reference. */
export interface Reader {
  readonly test: TestApp;
  readonly env: Readonly<Record<string, string>>;
}

const DAY_MS = 86_400_000;

/**
 * The time of the server, which stands still: tomorrow at noon. better-auth dates its sessions by the real clock, and the
 * last sign-in is the later of the two times.
 */
export const NOON = (Math.floor(Date.now() / DAY_MS) + 1.5) * DAY_MS;

export async function startReader(): Promise<Reader> {
  const test = await startTestApp({ isLocal: true, startAt: NOON });
  const response = await fetch(`${test.url}/auth/setup`, {
    method: 'POST',
    headers: { origin: test.url, 'content-type': 'application/json' },
    body: JSON.stringify({ token: test.setupToken, name: 'Ada', email: EMAIL, password: PASSWORD }),
  });
  const [, session] = new RegExp(`${SESSION_COOKIE}=([^;]+)`).exec(
    response.headers.getSetCookie().join(),
  )!;
  return {
    test,
    env: {
      KEYWARD_URL: test.url,
      KEYWARD_ACCESS_KEY: test.accessKey,
      KEYWARD_EMAIL: EMAIL,
      KEYWARD_PASSWORD: PASSWORD,
      KEYWARD_SESSION: session!,
    },
  };
}
