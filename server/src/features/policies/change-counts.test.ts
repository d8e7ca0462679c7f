import { expect, it } from 'vitest';
import { createMemoryChangeBus } from '../../cluster/change-bus/memory.ts';
import { createIds } from '../../kernel/ids.ts';
import { ChangeCounts } from './change-counts.ts';
import { customerGroup } from './counter-sets.ts';

const ids = createIds();
const [accountId, projectId] = [ids('acc'), ids('prj')];

it('change counts differ for the keys of a changed plan or customer, and for few others', () => {
  const bus = createMemoryChangeBus();
  const counts = new ChangeCounts(bus);
  const plans = Array.from({ length: 1_000 }, () => ids('pln'));
  const customers = plans.map((_, n) => customerGroup(projectId, `customer ${n}`));
  const none = counts.slotsOfKey(null, null);
  const read = plans.map((plan, n) => counts.slotsOfKey(plan, customers[n]!));
  const outdated = () =>
    read.filter(
      ({ planSlot, customerSlot, sumWhenRead }) =>
        counts.sum(planSlot, customerSlot) !== sumWhenRead,
    );
  expect(outdated()).toEqual([]);
  bus.publish([{ kind: 'plan', id: plans[5]!, accountId, projectId }]);
  expect(outdated()).toContain(read[5]);
  bus.publish([{ kind: 'customer', group: customers[7]!, accountId, projectId }]);
  expect(outdated()).toContain(read[7]);
  // 2,000 ids in 65,536 slots: a slot is shared by a second id with a probability of 3 %.
  expect(outdated().length).toBeLessThan(6);
  expect(counts.sum(none.planSlot, none.customerSlot)).toBe(none.sumWhenRead);
});
