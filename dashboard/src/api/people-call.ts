import { KeywardError } from 'keyward';

/** A call about a person, in the manner of the client. */
export async function peopleCall<Answer>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => null);
  if (response === null) throw failure('unreachable', 'Keyward cannot be reached.', null, null);
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer as Answer;
  const { code = 'unexpected_answer', message = 'Not an answer of Keyward.', requestId } = answer;
  throw failure(code, message, response.status, requestId ?? null);
}

const failure = (
  code: string,
  message: string,
  statusCode: number | null,
  requestId: string | null,
) => new KeywardError({ code, message, statusCode, requestId, retryAfterSeconds: null });
