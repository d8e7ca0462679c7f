const lines = (...parts: string[]): string => parts.join(' \\\n  ');

export const creationCurl = (projectId: string): string =>
  lines(
    `curl -s ${location.origin}/api-keys`,
    "-H 'x-api-key: <ACCESS_KEY>'",
    "-H 'content-type: application/json'",
    `-d '${JSON.stringify({ projectId, name: 'Acme, production', customAccountId: 'acme' })}'`,
  );
