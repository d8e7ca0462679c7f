import type { QueryExecutorProvider } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Change, ChangeBus } from '../../src/cluster/change-bus.ts';
import { createIds } from '../../src/kernel/ids.ts';

/** One node of a bus, and what its listeners have heard in order. */
export interface TestNode {
  readonly bus: ChangeBus;
  readonly heard: Change[];
}

export interface OpenedBus {
  readonly nodes: readonly TestNode[];
  /** A transaction that announces and then commits, or rolls back. */
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

/** What every bus must do, however many nodes it has. */
export function changeBusContract(name: string, open: () => Promise<OpenedBus>): void {
  describe(`change bus: ${name}`, () => {
    let opened: OpenedBus;
    beforeEach(async () => {
      opened = await open();
      for (const { heard } of opened.nodes) heard.length = 0;
    });
    afterEach(() => opened.dispose());

    /** As a change does it: announced inside, published after the commit. */
    async function make(node: TestNode, changes: readonly Change[]): Promise<void> {
      await opened.transaction((tx) => node.bus.announce(tx, changes));
      node.bus.publish(changes);
    }
    const hears = (node: TestNode, change: Change) =>
      expect.poll(() => node.heard).toContainEqual(change);

    it('has told this node when publish returns', async () => {
      const change = keyChange();
      const [first] = opened.nodes;
      await make(first!, [change]);
      expect(first!.heard).toContainEqual(change);
    });

    it('tells every node, whichever made the change', async () => {
      for (const node of opened.nodes) {
        const change = keyChange();
        await make(node, [change]);
        for (const each of opened.nodes) await hears(each, change);
      }
    });

    it('tells each kind as it was said, in order', async () => {
      const changes: Change[] = [
        keyChange(),
        { kind: 'access-key', id: makeId('ak'), hash: 'y'.repeat(43) },
        { kind: 'project', id: makeId('prj'), accountId: makeId('acc') },
      ];
      await make(opened.nodes[0]!, changes);
      for (const each of opened.nodes) {
        await hears(each, changes[2]!);
        expect(each.heard.slice(0, 3)).toEqual(changes);
      }
    });

    it('tells of many changes, one by one or as everything', async () => {
      const changes = Array.from({ length: 300 }, keyChange);
      await make(opened.nodes[0]!, changes);
      for (const each of opened.nodes) {
        await hears(each, changes.at(-1)!);
        expect(each.heard).toEqual(expect.arrayContaining(changes));
      }
      const tooMany = Array.from({ length: 10_000 }, keyChange);
      await make(opened.nodes[0]!, tooMany);
      for (const each of opened.nodes.slice(1)) await hears(each, { kind: 'everything' });
    });

    it('tells nobody of a change that was rolled back', async () => {
      const [undone, done] = [keyChange(), keyChange()];
      const { bus } = opened.nodes[0]!;
      const failing = opened.transaction(async (tx) => {
        await bus.announce(tx, [undone]);
        throw new Error('undone');
      });
      await expect(failing).rejects.toThrow('undone');
      await make(opened.nodes[0]!, [done]);
      for (const each of opened.nodes) {
        await hears(each, done);
        expect(each.heard).not.toContainEqual(undone);
      }
    });

    it('says that it is in touch', () => {
      expect(opened.nodes.map(({ bus }) => bus.isInTouch())).not.toContain(false);
    });
  });
}
