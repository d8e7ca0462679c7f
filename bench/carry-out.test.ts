import { expect, it, vi } from 'vitest';
import { carryOut } from './carry-out.ts';
import { row } from './rows.ts';
import { FULL, type Scenario } from './scenario.ts';

vi.spyOn(console, 'log').mockImplementation(() => {});
const step = (name: string, run: Scenario, seconds = 1) => ({
  entry: { name, run, seconds, quickSeconds: null },
  seconds,
});
const good: Scenario = async () => [row('good', '', 1, { atMost: 1 })];
const bad: Scenario = async () => {
  throw new Error('It broke.\nwith details');
};
const endless: Scenario = () => new Promise(() => {});
const told = async (steps: Parameters<typeof carryOut>[0]['steps'], limitSeconds = 60) =>
  (await carryOut({ steps, scale: FULL, limitSeconds, profileFile: null })).map(
    ({ scenario, rows }) => [scenario, rows[0]!.holds, rows[0]!.note],
  );

it('goes on after a scenario that fails, and says so', async () => {
  expect(await told([step('a', bad), step('b', good)])).toEqual([
    ['a', false, 'It broke.'],
    ['b', true, null],
  ]);
});

it('does not begin what no time is left for, and fails by it', async () => {
  expect(await told([step('a', good, 100), step('b', good)], 50)).toEqual([
    ['a', false, 'no time was left'],
    ['b', true, null],
  ]);
});

it('ends a scenario that takes longer than the run may', async () => {
  expect(await told([step('a', endless, 0.02), step('b', good, 5)], 0.03)).toEqual([
    ['a', false, 'took longer than the whole run may'],
    ['b', false, 'no time was left'],
  ]);
});

it('names what the plan leaves out', async () => {
  const { entry } = step('a', good);
  expect(await told([{ entry, leftOut: 'left out of --quick' }])).toEqual([
    ['a', null, 'left out of --quick'],
  ]);
});
