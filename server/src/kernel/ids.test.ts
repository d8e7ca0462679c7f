import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIds, idFloor, isIdOf } from './ids.ts';

const time = fc.integer({ min: 0, max: 2 ** 45 });

describe('the floor of ids', () => {
  it('lies under every id made at its time or later, and above all made before', () => {
    fc.assert(
      fc.property(time, (ms) => {
        const id = createIds(() => ms)('evt');
        expect(isIdOf('evt', idFloor('evt', ms))).toBe(true);
        expect(id >= idFloor('evt', ms)).toBe(true);
        expect(id < idFloor('evt', ms + 1)).toBe(true);
      }),
    );
  });

  it('is the lowest id of all for a time before 1970', () => {
    expect(idFloor('dlv', -5)).toBe(`dlv_${'0'.repeat(26)}`);
  });
});
