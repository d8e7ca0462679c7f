import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { commands } from './commands.ts';
import { RealService } from './real-service.ts';

const RUNS = 60;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

it('whatever is done to keys, in whatever order and time, every validation answers as the model does', async () => {
  let validations = 0;
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const service = await RealService.begin(app);
      for (const command of sequence) await service.run(command);
      validations += service.validations;
    }),
    { numRuns: RUNS, endOnFailure: false },
  );
  console.log(`model: ${RUNS} sequences, ${validations} validations agree`);
  expect(validations).toBeGreaterThan(RUNS);
}, 120_000);
