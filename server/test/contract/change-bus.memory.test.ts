import type { Change } from '../../src/cluster/change-bus.ts';
import { createMemoryChangeBus } from '../../src/cluster/memory-change-bus.ts';
import { changeBusContract } from './change-bus.contract.ts';

changeBusContract('memory', async () => {
  const bus = createMemoryChangeBus();
  const heard: Change[] = [];
  bus.subscribe((changes) => heard.push(...changes));
  return {
    nodes: [{ bus, heard }],
    transaction: (work) => work({} as never),
    dispose: async () => {},
  };
});
