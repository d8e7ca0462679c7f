/** `crypto.randomUUID` exists only on pages served by HTTPS, or from localhost. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/**
 * Keeps the idempotency key while the same request is repeated: if the response was lost, sending the request
 * again returns the first result instead of creating a second API key. Call `forget` after a success.
 */
export function createIdempotency(): { keyOf(request: object): string; forget(): void } {
  let last: { readonly request: string; readonly key: string } | undefined;
  return {
    keyOf(request) {
      const text = JSON.stringify(request);
      if (last?.request !== text) last = { request: text, key: randomKey() };
      return last.key;
    },
    forget() {
      last = undefined;
    },
  };
}
