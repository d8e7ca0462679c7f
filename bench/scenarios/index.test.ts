import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SCENARIOS } from './index.ts';

it('docs/benchmarks.md lists the scenarios of every run, then the extra ones', () => {
  const page = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  const [extra, usual] = [true, false].map((isExtra) =>
    SCENARIOS.filter((each) => (each.isExtra ?? false) === isExtra).map(({ name }) => name),
  );
  expect(listed).toEqual([...usual!, ...extra!]);
});
