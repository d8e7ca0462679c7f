import type { QueryExecutorProvider } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Change, ChangeBus } from '../../src/cluster/change-bus/change-bus.ts';
import { createIds } from '../../src/kernel/ids.ts';

/** One node of a bus, and the changes its listeners received, in order. */
export interface TestNode {
  readonly bus: ChangeBus;
  readonly received: Change[];
}

export interface OpenedBus {
  readonly nodes: readonly TestNode[];
  /** Runs a transaction that announces, then commits or rolls back. */
  transaction(work: (tx: QueryExecutorProvider) => Promise<void>): Promise<void>;
  dispose(): Promise<void>;
}

const makeId = createIds();

export const keyChange = (): Change => ({
  kind: 'api-key',
  id: makeId('key'),
  hash: 'x'.repeat(43),
  accountId: makeId('acc'),
  projectId: makeId('prj'),
});

/** Requirements for every engine of the bus. */
export function changeBusContract(name: string, open: () => Promise<OpenedBus>): void {
  describe(`change bus: ${name}`, () => {
    let opened: OpenedBus;
    beforeEach(async () => {
      opened = await open();
      for (const { received } of opened.nodes) received.length = 0;
    });
    afterEach(() => opened.dispose());

    /** Like the change runner: announces in the transaction, publishes after the commit. */
    async function publish(node: TestNode, changes: readonly Change[]): Promise<void> {
      await opened.transaction((tx) => node.bus.announce(tx, changes));
      node.bus.publish(changes);
    }
    const expectReceived = (node: TestNode, change: Change) =>
      expect.poll(() => node.received).toContainEqual(change);

    it('has notified this node when publish returns', async () => {
      const change = keyChange();
      const [first] = opened.nodes;
      await publish(first!, [change]);
      expect(first!.received).toContainEqual(change);
    });

    it('notifies every node of a change made on any node', async () => {
      for (const node of opened.nodes) {
        const change = keyChange();
        await publish(node, [change]);
        for (const each of opened.nodes) await expectReceived(each, change);
      }
    });

    it('delivers every kind of change unchanged and in order', async () => {
      const changes: Change[] = [
        keyChange(),
        { kind: 'access-key', id: makeId('ak'), hash: 'y'.repeat(43) },
        { kind: 'project', id: makeId('prj'), accountId: makeId('acc') },
        { kind: 'plan', id: makeId('pln'), accountId: makeId('acc'), projectId: makeId('prj') },
        {
          ...{ kind: 'customer', group: `cst_${'z'.repeat(22)}` },
          ...{ accountId: makeId('acc'), projectId: makeId('prj') },
        },
      ];
      await publish(opened.nodes[0]!, changes);
      for (const each of opened.nodes) {
        await expectReceived(each, changes.at(-1)!);
        expect(each.received.slice(0, changes.length)).toEqual(changes);
      }
    });

    it('delivers many changes, one by one or as "everything"', async () => {
      const changes = Array.from({ length: 300 }, keyChange);
      await publish(opened.nodes[0]!, changes);
      for (const each of opened.nodes) {
        await expectReceived(each, changes.at(-1)!);
        expect(each.received).toEqual(expect.arrayContaining(changes));
      }
      const tooMany = Array.from({ length: 10_000 }, keyChange);
      await publish(opened.nodes[0]!, tooMany);
      for (const each of opened.nodes.slice(1)) await expectReceived(each, { kind: 'everything' });
    });

    it('does not deliver a change that was rolled back', async () => {
      const [undone, done] = [keyChange(), keyChange()];
      const { bus } = opened.nodes[0]!;
      const failing = opened.transaction(async (tx) => {
        await bus.announce(tx, [undone]);
        throw new Error('undone');
      });
      await expect(failing).rejects.toThrow('undone');
      await publish(opened.nodes[0]!, [done]);
      for (const each of opened.nodes) {
        await expectReceived(each, done);
        expect(each.received).not.toContainEqual(undone);
      }
    });

    it('reports that it is up to date', () => {
      expect(opened.nodes.map(({ bus }) => bus.isUpToDate())).not.toContain(false);
    });
  });
}
