import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OUR_V8_FLAGS } from './contender.ts';

it('peers made with Node get the flags that keyward sets for itself, and no others', () => {
  const program = readFileSync(new URL('../../server/bin/keyward.mjs', import.meta.url), 'utf8');
  const set = [...program.matchAll(/setFlagsFromString\('(.+)'\)/g)].map(([, flag]) => flag);
  expect(OUR_V8_FLAGS).toEqual(set);
});
