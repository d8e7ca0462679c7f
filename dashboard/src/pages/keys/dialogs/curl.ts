const lines = (...parts: string[]): string => parts.join(' \\\n  ');

/** A validation with the value in the body, which keeps it out of logs on the way. */
export const validationCurl = (value: string): string =>
  lines(
    `curl -s ${location.origin}/api-keys/auth`,
    "-H 'x-api-key: <ACCESS_KEY>'",
    "-H 'content-type: application/json'",
    `-d '${JSON.stringify({ key: value })}'`,
  );

export const creationCurl = (projectId: string): string =>
  lines(
    `curl -s ${location.origin}/api-keys`,
    "-H 'x-api-key: <ACCESS_KEY>'",
    "-H 'content-type: application/json'",
    `-d '${JSON.stringify({ projectId, name: 'Acme, production', customAccountId: 'acme' })}'`,
  );
