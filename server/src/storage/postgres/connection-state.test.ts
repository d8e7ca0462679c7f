import { expect, it } from 'vitest';
import { ConnectionState } from './connection-state.ts';
import { ConnectionLost, toStorageError } from './errors.ts';
import { Primary } from './primary.ts';

const LOST = new ConnectionLost('The connection to PostgreSQL is lost.');

function start() {
  const world = { now: 0, events: [] as string[] };
  const state = new ConnectionState(new Primary([{ host: 'db', port: 5432 }]), () => world.now);
  state.subscribe({
    onLost: ({ message }) => world.events.push(message),
    onRestored: () => world.events.push('restored'),
    onFailover: () => world.events.push('failover'),
  });
  const record = (beganAt: number, endedAt: number, error?: Error) => {
    world.now = endedAt;
    state.record(beganAt, error);
  };
  return { state, world, record };
}

it('reports each loss and each return once, however many statements fail', () => {
  const { state, world, record } = start();
  expect(state.isConnected).toBe(true);
  record(1, 10, LOST);
  record(2, 10, LOST);
  expect(state).toMatchObject({ isConnected: false, reconnects: 0 });
  record(11, 12, LOST);
  record(13, 20);
  record(14, 21);
  expect(state).toMatchObject({ isConnected: true, reconnects: 1 });
  expect(world.events).toEqual([LOST.message, 'restored']);
});

it('ignores results of statements sent before the last change', () => {
  const { state, record } = start();
  record(1, 10, LOST);
  // Its response was already on its way.
  record(5, 11);
  expect(state.isConnected).toBe(false);
  record(11, 20);
  // Sent to the server that was lost.
  record(9, 21, LOST);
  expect(state).toMatchObject({ isConnected: true, reconnects: 1 });
});

it('stays connected after an error of a statement, a timeout or too many connections', () => {
  const { state, record } = start();
  const refused = (code: string) =>
    toStorageError(Object.assign(new Error('refused'), { code, severity: 'ERROR' }));
  for (const code of ['23505', '55P03', '57014', '53300', '25P03']) record(1, 2, refused(code));
  expect(state.isConnected).toBe(true);
  // The server became a standby.
  record(1, 2, refused('25006'));
  expect(state.isConnected).toBe(false);
});
