import { expect, it } from 'vitest';
import type { Actor } from '../../../kernel/actor.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { PreviewService } from './service.ts';

const plan = { id: 'pln_1', projectId: 'prj_1', limits: [], credits: null };

const actorOf = (accountId: string) =>
  ({ principal: { kind: 'access-key', accountId, projectIds: null } }) as Actor;

/** Each preview waits until the test ends it. */
function previews() {
  const running: PromiseWithResolvers<void>[] = [];
  const minutes = async ({ accountId }: { accountId: string }) => {
    if (accountId === 'stranger') throw new KeywardError('scope_missing');
    const pages = (async function* () {
      const end = Promise.withResolvers<void>();
      running.push(end);
      await end.promise;
      yield* [];
    })();
    return { from: 0, to: 0, pages };
  };
  const parts = { plans: { get: async () => plan }, analytics: { minutes } };
  const service = new PreviewService(
    parts as unknown as ConstructorParameters<typeof PreviewService>[0],
  );
  const run = (accountId: string) => service.run(actorOf(accountId), { planId: plan.id });
  return { run, running };
}

it('runs one preview at a time, and each account has at most one that waits', async () => {
  const { run, running } = previews();
  const first = run('a');
  await expect.poll(() => running.length).toBe(1);
  const second = run('a');
  const third = expect(run('a')).rejects.toMatchObject({ code: 'overloaded', status: 503 });
  const other = run('b');
  await third;
  expect(running).toHaveLength(1);
  running[0]!.resolve();
  expect(await first).toMatchObject({ planId: plan.id });
  // The second preview of account `a` has begun, so a further one may wait.
  await expect.poll(() => running.length).toBe(2);
  const fourth = run('a');
  running[1]!.reject(new Error('Simulated'));
  await expect(second).rejects.toThrow('Simulated');
  await expect.poll(() => running.length).toBe(3);
  running[2]!.resolve();
  expect(await other).toMatchObject({ planId: plan.id });
  await expect.poll(() => running.length).toBe(4);
  running[3]!.resolve();
  expect(await fourth).toMatchObject({ planId: plan.id });
});

it('refuses a caller without the rights, without waiting for other previews', async () => {
  const { run, running } = previews();
  const first = run('a');
  await expect.poll(() => running.length).toBe(1);
  await expect(run('stranger')).rejects.toMatchObject({ code: 'scope_missing' });
  running[0]!.resolve();
  await first;
});
