import type { Change } from '../../src/cluster/change-bus/change-bus.ts';
import { createMemoryChangeBus } from '../../src/cluster/change-bus/memory.ts';
import { changeBusContract } from './change-bus.contract.ts';

changeBusContract('memory', async () => {
  const bus = createMemoryChangeBus();
  const received: Change[] = [];
  bus.subscribe((changes) => received.push(...changes));
  return {
    nodes: [{ bus, received }],
    transaction: (work) => work({} as never),
    dispose: async () => {},
  };
});
