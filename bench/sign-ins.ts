import { ACCESS_KEY } from './keyward-server.ts';
import { upTo } from './turns.ts';

export interface Person {
  readonly email: string;
  readonly password: string;
}

interface CallOptions {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

type Call = (path: string, body: object, options?: CallOptions) => Promise<Response>;

/** Every call from another address of the world, and from our own pages. */
function callerOf(port: number): Call {
  let calls = 0;
  return (path, body, { headers = {}, signal } = {}) => {
    calls++;
    return fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}`,
        ...headers,
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  };
}

/** So many people with a password, each by an invitation. */
export async function seedPeople(port: number, count: number): Promise<Person[]> {
  const call = callerOf(port);
  const join = async (n: number): Promise<Person> => {
    const email = `person-${n}@example.com`;
    const password = `person ${n} types this by heart`;
    const invited = await call(
      '/invitations',
      { emails: [email], role: 'viewer' },
      { headers: { 'x-api-key': ACCESS_KEY } },
    );
    const [{ id, link }] = (await invited.json()) as [{ id: string; link: string }];
    const token = new URL(link).hash.replace('#token=', '');
    const joined = await call(`/invitations/${id}/accept`, { token, name: email, password });
    if (!joined.ok) throw new Error(`Nobody joined: ${await joined.text()}`);
    return { email, password };
  };
  return Promise.all(upTo(count).map(join));
}

/** So many at the login at once, until it is stopped: half of them with a wrong password. */
export function startSignIns(port: number, people: readonly Person[], parallel: number) {
  const call = callerOf(port);
  const end = new AbortController();
  const { signal } = end;
  let answered = 0;
  let attempts = 0;
  const knock = async () => {
    while (!signal.aborted) {
      const turn = attempts++;
      const person = people[(turn >> 1) % people.length]!;
      const isRight = turn % 2 === 0;
      // Nobody by that name either: somebody who exists would be throttled after a hundred.
      const tried = isRight ? person : { email: `nobody-${turn}@example.com`, password: 'a guess' };
      // Over, or a kept connection that the server had closed by then.
      const status = await call('/auth/sign-in', tried, { signal }).then(statusOf, () => null);
      if (status === null) continue;
      if (status !== (isRight ? 200 : 401)) throw new Error(`A login was answered with ${status}.`);
      answered++;
    }
  };
  const crowd = Promise.all(Array.from({ length: parallel }, knock));
  return {
    /** All hang up. How many were answered before. */
    async stop(): Promise<number> {
      end.abort();
      await crowd;
      return answered;
    },
  };
}

const statusOf = ({ status }: Response): number => status;
