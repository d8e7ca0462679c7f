import type { RefusalResponse } from './refusal.ts';

export const responseOf = ({ status, headers, body }: RefusalResponse): Response =>
  Response.json(body, { status, headers });

/** Copies the response, because some responses (redirects, results of `fetch`) have immutable headers. */
export function withHeaders(
  response: Response,
  headers: Readonly<Record<string, string>>,
): Response {
  const entries = Object.entries(headers);
  if (entries.length === 0) return response;
  const copy = new Response(response.body, response);
  for (const [name, value] of entries) copy.headers.set(name, value);
  return copy;
}
