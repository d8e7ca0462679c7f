import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { quickBudget, scaled } from '../harness/scale.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { commands } from './commands.ts';
import { ComparedService } from './compared-service.ts';

const RUNS = scaled(1_000, 60);
const RUNS_AT_LEAST = 10;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

it('every validation matches the model after any sequence of changes', async () => {
  let validations = 0;
  let runs = 0;
  const mayStop = quickBudget(RUNS_AT_LEAST);
  const property = fc.asyncProperty(commands, async (sequence) => {
    if (mayStop(runs)) return;
    const service = await ComparedService.begin(app);
    for (const command of sequence) await service.run(command);
    validations += service.validations;
    runs++;
  });
  await fc.assert(property, { numRuns: RUNS });
  console.log(`model: ${runs} sequences, ${validations} validations match`);
  expect(validations).toBeGreaterThan(runs);
});
