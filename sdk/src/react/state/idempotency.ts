/** `crypto.randomUUID` exists only on pages served by HTTPS, or from localhost. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/**
 * Keeps the idempotency key while the same request is repeated: if the response was lost, sending it
 * again returns the first result instead of a second key.
 */
export function createIdempotency(): (request: object) => string {
  let last: { readonly request: string; readonly key: string } | undefined;
  return (request) => {
    const text = JSON.stringify(request);
    if (last?.request !== text) last = { request: text, key: randomKey() };
    return last.key;
  };
}
