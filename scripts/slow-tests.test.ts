import { expect, it } from 'vitest';
import { slowWithoutReason } from './slow-tests.ts';

it('names files that took more than 5 s of CPU and do not say why in their first line', async () => {
  const here = 'scripts/slow-tests.test.ts';
  const measured = [`4.9 ${here}`, `5.1 ${here}`, '60.0 server/test/cli/cli.test.ts', ''];
  expect(await slowWithoutReason(measured.join('\n'))).toEqual([
    `${here} took 5.1 s of CPU; its first line must say why`,
  ]);
});
