import { resend } from './resend.ts';

/** Untyped JSON: each test asserts the shape that it reads. */
type JsonAny = ReturnType<typeof JSON.parse>;

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonAny;
  readonly text: string;
}

export interface TestClient {
  get(path: string, headers?: Record<string, string>): Promise<TestResponse>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  delete(path: string, headers?: Record<string, string>): Promise<TestResponse>;
  /** The same server with another credential; null for none. */
  as(credential: string | null): TestClient;
}

/** Repeats calls that the server refuses as overloaded. */
export function createTestClient(url: string, credential: string | null): TestClient {
  const send = (...call: Parameters<typeof sendOnce>) => resend(() => sendOnce(...call));
  async function sendOnce(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(credential !== null && { 'x-api-key': credential }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  }
  return {
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
    as: (other) => createTestClient(url, other),
  };
}
