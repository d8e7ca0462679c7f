import { expect, it } from 'vitest';
import { KeywardError, noResponse } from '../src/http/errors.ts';
import { createProblemLog } from '../src/http/problem-log.ts';

it('logs once a minute, with the reason at that time', () => {
  const logged: string[] = [];
  let now = 0;
  const log = createProblemLog(
    (message) => logged.push(message),
    () => now,
  );
  const refused = new KeywardError({
    code: 'scope_missing',
    message: 'This credential lacks the scope for this request.',
    statusCode: 403,
    requestId: 'req_1',
    retryAfterSeconds: null,
  });
  log('Requests get 503', refused);
  now = 59_999;
  log('Requests get 503', refused);
  expect(logged).toEqual([
    'Requests get 503: This credential lacks the scope for this request. (scope_missing, status 403, req_1) The access key needs the scope keys:validate.',
  ]);
  now = 60_000;
  const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
  log('Requests get 503', noResponse('unreachable', 'Keyward cannot be reached.', cause));
  expect(logged[1]).toBe(
    'Requests get 503: Keyward cannot be reached. fetch failed connect ECONNREFUSED (unreachable)',
  );
});
