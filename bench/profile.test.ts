import { expect, it } from 'vitest';
import { selfTimes } from './profile.ts';

const node = (id: number, functionName: string, url = '', lineNumber = 0) => ({
  id,
  callFrame: { functionName, url, lineNumber },
});

it('shares out the busy time by function, and leaves idle time out', () => {
  const profile = {
    nodes: [
      node(1, '(idle)'),
      node(2, 'answer', 'file:///somewhere/server/src/http/answer.ts', 9),
      node(3, 'answer', 'file:///somewhere/server/src/http/answer.ts', 9),
      node(4, '', 'node:internal/http'),
    ],
    samples: [1, 2, 3, 4],
    timeDeltas: [1000, 30, 45, 25],
  };
  expect(selfTimes(profile)).toEqual([
    { place: 'answer server/src/http/answer.ts:10', share: 0.75 },
    { place: '(anonymous) node:internal/http:1', share: 0.25 },
  ]);
});
