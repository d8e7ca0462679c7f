import type { Admission, Outcome } from '../src/http/breaker.ts';

/** A request that is admitted like this, or the result of the request with number `of`, counted from 0. */
export type BreakerStep =
  | { readonly at: number; readonly admit: Admission['decision'] }
  | {
      readonly at: number;
      readonly result: Outcome;
      readonly of: number;
      readonly retryAfterMs?: number;
    };

export interface BreakerCase {
  readonly name: string;
  readonly steps: readonly BreakerStep[];
}

const admit = (at: number, decision: Admission['decision']): BreakerStep => ({
  at,
  admit: decision,
});
const result = (at: number, of: number, outcome: Outcome, retryAfterMs?: number): BreakerStep => ({
  at,
  result: outcome,
  of,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});
/** Requests one after the other, each of which ends with the outcome. The first has the number `first`. */
const each = (outcomes: readonly Outcome[], first = 0, at = 0): BreakerStep[] =>
  outcomes.flatMap((outcome, n) => [admit(at, 'send'), result(at, first + n, outcome)]);

/** What the clients in all languages must do. Times are in milliseconds. */
export const BREAKER_CASES: readonly BreakerCase[] = [
  {
    name: 'all requests are sent while the server responds, whatever the verdict',
    steps: each([200, 404, 403, 429, 401, 400, 500, 200]),
  },
  {
    name: 'a timeout opens it, and a probe is due at once',
    steps: [
      admit(0, 'send'),
      result(1_000, 0, 'timeout'),
      admit(1_000, 'probe'),
      admit(1_000, 'refuse'),
      admit(1_500, 'refuse'),
    ],
  },
  {
    name: 'a timeout that is shorter than a second opens it until a second has passed',
    steps: [
      admit(0, 'send'),
      result(50, 0, 'timeout'),
      admit(999, 'refuse'),
      admit(1_000, 'probe'),
    ],
  },
  {
    name: 'the fifth failure in a row opens it for a second',
    steps: [
      ...each(['unreachable', 502, 503, 504]),
      admit(0, 'send'),
      result(10, 4, 'unreachable'),
      admit(999, 'refuse'),
      admit(1_000, 'probe'),
    ],
  },
  {
    name: 'a response between failures starts the count again',
    steps: each(['unreachable', 503, 503, 503, 404, 503, 503, 503, 503, 429, 503]),
  },
  {
    name: '500, 501 and 505 are responses',
    steps: each([500, 500, 501, 505, 500, 500, 500]),
  },
  {
    name: 'the first response of a probe closes it',
    steps: [
      admit(0, 'send'),
      result(1_000, 0, 'timeout'),
      admit(1_200, 'probe'),
      result(1_210, 1, 200),
      admit(1_210, 'send'),
      admit(1_210, 'send'),
    ],
  },
  {
    name: 'a refusal of the key or of the access key closes it too',
    steps: [
      admit(0, 'send'),
      result(1_000, 0, 'timeout'),
      admit(1_000, 'probe'),
      result(1_010, 1, 401),
      admit(1_010, 'send'),
    ],
  },
  {
    name: 'a probe that fails opens it again, and one request at a time is tried',
    steps: [
      admit(0, 'send'),
      result(1_000, 0, 'timeout'),
      admit(1_000, 'probe'),
      result(1_005, 1, 'unreachable'),
      admit(1_999, 'refuse'),
      admit(2_000, 'probe'),
      admit(2_000, 'refuse'),
      result(3_000, 3, 'timeout'),
      admit(3_000, 'probe'),
    ],
  },
  {
    name: 'after it was closed, five more failures are needed',
    steps: [
      ...each(['unreachable', 'unreachable', 'unreachable', 'unreachable', 'unreachable']),
      admit(1_000, 'probe'),
      result(1_001, 5, 404),
      ...each(['unreachable', 'unreachable', 'unreachable', 'unreachable'], 6, 1_001),
      admit(1_001, 'send'),
    ],
  },
  {
    name: 'if requests are rare, the next one waits for its own result',
    steps: [
      admit(0, 'send'),
      result(1_000, 0, 'timeout'),
      admit(6_001, 'send'),
      admit(6_002, 'refuse'),
      result(6_050, 1, 200),
      admit(6_050, 'send'),
    ],
  },
  {
    name: 'five seconds after the last failure, a probe is still sent in the place of a request',
    steps: [admit(0, 'send'), result(1_000, 0, 'timeout'), admit(6_000, 'probe')],
  },
  {
    name: 'results of requests that were sent before it opened are ignored',
    steps: [
      admit(0, 'send'),
      admit(0, 'send'),
      admit(0, 'send'),
      result(1_000, 0, 'timeout'),
      result(1_001, 1, 200),
      admit(1_001, 'probe'),
      result(1_002, 2, 'timeout'),
      result(1_010, 3, 200),
      admit(1_010, 'send'),
    ],
  },
  {
    name: 'a late failure does not open it again after it was closed',
    steps: [
      admit(0, 'send'),
      admit(0, 'send'),
      result(1_000, 0, 'timeout'),
      admit(1_000, 'probe'),
      result(1_001, 2, 200),
      result(1_002, 1, 'timeout'),
      admit(1_002, 'send'),
    ],
  },
  {
    name: 'Retry-After of the response that opens it is respected',
    steps: [
      ...each([503, 503, 503, 503]),
      admit(0, 'send'),
      result(10, 4, 503, 7_000),
      admit(7_009, 'refuse'),
      admit(7_010, 'probe'),
    ],
  },
  {
    name: 'Retry-After of a probe is respected, but for at most 30 seconds',
    steps: [
      admit(0, 'send'),
      result(1_000, 0, 'timeout'),
      admit(1_000, 'probe'),
      result(1_000, 1, 503, 3_600_000),
      admit(30_999, 'refuse'),
      admit(31_000, 'probe'),
    ],
  },
  {
    name: 'Retry-After of a single 503 does not open it',
    steps: [admit(0, 'send'), result(0, 0, 503, 7_000), admit(0, 'send')],
  },
  {
    name: 'a request that its caller ended says nothing',
    steps: [
      ...each(['unreachable', 'unreachable', 'unreachable', 'unreachable', 'cancelled']),
      admit(0, 'send'),
      result(10, 5, 'unreachable'),
      admit(10, 'refuse'),
    ],
  },
  {
    name: 'if the caller ends the probe, the next request is tried',
    steps: [
      admit(0, 'send'),
      result(1_000, 0, 'timeout'),
      admit(9_000, 'send'),
      result(9_100, 1, 'cancelled'),
      admit(9_100, 'probe'),
    ],
  },
  {
    name: 'a probe without a result is forgotten after ten seconds',
    steps: [
      admit(0, 'send'),
      result(1_000, 0, 'timeout'),
      admit(1_000, 'probe'),
      admit(10_999, 'refuse'),
      admit(30_000, 'probe'),
      result(30_001, 1, 200),
      admit(30_002, 'refuse'),
    ],
  },
];
