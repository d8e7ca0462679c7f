import { expect, it } from 'vitest';
import { PortalData } from '../../src/react/state/portal-data.ts';
import { Resource } from '../../src/react/state/resource.ts';
import { refusal, scriptedServer } from '../scripted-server.ts';

it('loads once for all subscribers, and keeps the data when a reload fails', async () => {
  let loads = 0;
  const resource = new Resource(async () => {
    if (++loads > 1) throw new Error('away');
    return 'first';
  });
  expect(loads).toBe(0);
  const loaded = new Promise<void>((resolve) => {
    resource.subscribe(() => !resource.get().isLoading && resolve());
  });
  resource.subscribe(() => {});
  await loaded;
  expect(loads).toBe(1);
  expect(resource.get()).toEqual({ data: 'first', error: null, isLoading: false });
  await resource.reload();
  expect(resource.get()).toEqual({ data: 'first', error: new Error('away'), isLoading: false });
});

it('drops the result of an earlier load', async () => {
  const results: ((value: string) => void)[] = [];
  const resource = new Resource(() => new Promise<string>((resolve) => results.push(resolve)));
  const both = [resource.reload(), resource.reload()];
  results[1]!('new');
  results[0]!('old');
  await Promise.all(both);
  expect(resource.get().data).toBe('new');
});

it('drops the result of a load that was in progress when the last subscriber left and `refresh` was called', async () => {
  const results: ((value: string) => void)[] = [];
  const resource = new Resource(() => new Promise<string>((resolve) => results.push(resolve)));
  const leave = resource.subscribe(() => {});
  leave();
  resource.refresh();
  resource.subscribe(() => {});
  results[1]!('new');
  results[0]!('old');
  await new Promise((resolve) => setImmediate(resolve));
  expect(resource.get()).toEqual({ data: 'new', error: null, isLoading: false });
});

it('a 401 of any call ends the session, once', async () => {
  await using server = await scriptedServer(refusal(401, 'credential_invalid'));
  const data = new PortalData(server.url, 'portal_x');
  let ends = 0;
  data.subscribe(() => ends++);
  expect(data.isExpired()).toBe(false);
  await data.keys.reload();
  await data.limits.reload();
  expect([data.isExpired(), ends]).toEqual([true, 1]);
  const { length } = server.seen;
  data.session.subscribe(() => {});
  data.refresh();
  expect(server.seen.length).toBe(length);
});

it('does not ask for limits that the session may not read', async () => {
  await using server = await scriptedServer({ status: 200, body: { allow: ['keys:read'] } });
  const data = new PortalData(server.url, 'portal_x');
  await data.session.reload();
  await data.limits.reload();
  expect(data.limits.get().data).toEqual({ credits: null, limits: [] });
  expect(server.seen.map(({ path }) => path)).toEqual(['/portal/session']);
});
