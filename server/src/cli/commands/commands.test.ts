import { AREAS } from '@keyward/rules/areas.ts';
import { expect, it } from 'vitest';
import { COMMANDS } from './index.ts';

const areas = Object.entries(AREAS).flatMap(([name, area]) => ('resource' in area ? [name] : []));

it.each(areas)('%s can be created and listed', (area) => {
  const words = COMMANDS.map((command) => command.words);
  expect(words).toEqual(expect.arrayContaining([`${area} create`, `${area} list`]));
});
