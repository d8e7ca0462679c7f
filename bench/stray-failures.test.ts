import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MODULE = new URL('stray-failures.ts', import.meta.url);

it('outlives a failure that nobody waits for, and does not swallow one that somebody does', () => {
  const told = execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { outliveStrayFailures } from '${MODULE}';
       outliveStrayFailures();
       const lost = Promise.reject(new Error('lost'));
       await new Promise((resolve) => setTimeout(resolve, 10));
       await lost.catch(({ message }) => console.log('heard later:', message));`,
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  expect(told).toBe('heard later: lost\n');
});
