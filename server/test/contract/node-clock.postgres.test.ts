import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClockState,
  clockStateOf,
  measureOffset,
} from '../../src/cluster/change-bus/node-clock.ts';
import { PostgresChangeBus } from '../../src/cluster/change-bus/postgres.ts';
import { openPostgres, Primary } from '../../src/storage/postgres.ts';
import { BUS_SILENCE_MS } from '../harness/long-timeouts.ts';
import { type FreshPostgres, freshPostgres } from '../harness/postgres/postgres.ts';

let database: FreshPostgres;
beforeAll(async () => {
  database = await freshPostgres();
});
afterAll(() => database.dispose());

describe('the clock of a node', () => {
  it.each<[ClockState, number, number[]]>([
    ['right', 0, []],
    ['right', -500, [0]],
    ['suspect', 501, []],
    ['suspect', -2_000, [0, 0]],
    // With no other node, or if most of them differ too, the clock of PostgreSQL may be wrong.
    ['suspect', 3_000, []],
    ['suspect', 3_000, [3_000, 3_000, 0]],
    ['suspect', 3_000, [3_000, 0]],
    ['off', 2_001, [0]],
    ['off', -3_000, [100, -100, 5_000]],
  ])('is %s at %i ms, if those of the others are at %j', (state, offset, others) => {
    expect(clockStateOf(offset, others)).toBe(state);
  });

  it('is compared by the reading with the shortest round trip', async () => {
    const trips = [400, 20, 900];
    let elapsed = 0;
    const read = async () => {
      const trip = trips.shift()!;
      elapsed += trip;
      // The server is a second behind, and reads its clock at the end of the round trip.
      return elapsed - 1_000;
    };
    const clock = () => elapsed;
    expect(await measureOffset(read, clock, clock)).toBe(990);
  });

  it('3 s ahead of PostgreSQL makes a node unready only while other nodes agree with PostgreSQL', async () => {
    const states: [string, ClockState][] = [];
    const start = async (nodeId: string, aheadMs: number) => {
      const bus = new PostgresChangeBus({
        primary: new Primary([{ connectionString: database.url }]),
        nodeId,
        staleMs: 60_000,
        silenceMs: BUS_SILENCE_MS,
        onLost: () => {},
        onRestored: () => {},
        onClock: (state) => states.push([nodeId, state]),
        wallClock: () => Date.now() + aheadMs,
      });
      await bus.start({ alone: false });
      return bus;
    };
    const alone = await start('alone', 3_000);
    expect(alone.clockState).toBe('suspect');
    expect(alone.clockOffsetMs).toBeGreaterThan(2_000);
    alone.stop();
    const right = await start('right', 0);
    const behind = await start('behind', -3_000);
    expect([right.clockState, right.nodes]).toEqual(['right', 1]);
    expect([behind.clockState, behind.nodes]).toEqual(['off', 2]);
    expect(states).toEqual([
      ['alone', 'suspect'],
      ['behind', 'off'],
    ]);
    right.stop();
    behind.stop();
  });
});

it('a server without free connection slots is named in the error of the start', async () => {
  const url = new URL(database.url);
  const admin = await openPostgres({ url: database.url, poolSize: 2 });
  await admin.transaction((tx) => sql`create role limited login connection limit 0`.execute(tx));
  url.username = 'limited';
  const opening = openPostgres({ url: url.href, poolSize: 2 });
  await expect(opening).rejects.toThrow(
    /PostgreSQL at .+ cannot be used\. PostgreSQL accepts no more connections: .+ Raise its max_connections, or lower KEYWARD_DATABASE_POOL/,
  );
  await expect(opening).rejects.toMatchObject({ cause: { name: 'NoConnectionSlot' } });
  await admin.transaction((tx) => sql`drop role limited`.execute(tx));
  await admin.close();
});
