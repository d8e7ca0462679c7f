import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeRoutes } from '../../src/app/build.ts';
import { SCOPES } from '../../src/kernel/authority.ts';
import { ERRORS, type ErrorCode } from '../../src/kernel/errors.ts';
import { generateValue } from '../../src/kernel/key-values.ts';
import type { Route } from '../../src/kernel/route.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import type { TestAnswer, TestClient } from '../harness/test-client.ts';
import { type AnswerFits, createAnswerFits } from './answer-fits.ts';
import {
  type ConcreteRequest,
  MATRIX,
  type MatrixRow,
  type Owner,
  type Way,
} from './matrix-rows.ts';
import { createOtherAccount } from './other-account.ts';

/**
 * Every route × every kind of credential. The rows say how a route is called; what it must answer
 * follows from the route's own description, so that a new route is held to the rules of all.
 */
const ROUTES = describeRoutes();
const rowOf = (route: Route): MatrixRow => MATRIX[route.operationId]!;
const KNOWN = ROUTES.filter((route) => route.operationId in MATRIX);
const guarded = KNOWN.filter((route) => route.access !== 'public');
const open = KNOWN.filter((route) => route.access === 'public');

let test: TestApp;
let fits: AnswerFits;
let mine: Owner;
let theirs: Owner;
/** Project level, of another project of the same account. */
let besideKey: string;
/** Project level, of the project that the targets are in. */
let projectKey: string;
const bad: Record<string, string | null> = {};

beforeAll(async () => {
  test = await startTestApp();
  fits = createAnswerFits(test.app.routes);
  const { client, accountId, projectId } = test;
  mine = { client, accountId, projectId };
  theirs = await createOtherAccount(test);
  const accessKey = async (body: object) =>
    (await client.post('/access-keys', { name: 'Matrix', ...body })).body;
  const projectNamed = async (name: string) => (await client.post('/projects', { name })).body.id;
  projectKey = (await accessKey({ projectId })).key;
  besideKey = (await accessKey({ projectId: await projectNamed('Beside') })).key;

  const revoked = await accessKey({});
  await client.delete(`/access-keys/${revoked.id}`);
  const expired = await accessKey({ expiry: new Date(test.clock.now + 1000).toISOString() });
  test.clock.now += 1000;
  const inactive = await projectNamed('Inactive');
  const ofInactive = await accessKey({ projectId: inactive });
  await client.delete(`/projects/${inactive}`);
  const apiKey = await client.post('/api-keys', { name: 'No access key', projectId });
  const unknown = generateValue('account_access_');
  Object.assign(bad, {
    none: null,
    unknown,
    malformed: `${unknown.slice(0, -1)}${unknown.endsWith('0') ? '1' : '0'}`,
    revoked: revoked.key,
    expired: expired.key,
    'of an inactive project': ofInactive.key,
    'an API key': apiKey.body.key,
    'the id of an access key': revoked.id,
  });
});
afterAll(() => test.close());

const REFUSED: readonly (readonly [credential: string, code: ErrorCode])[] = [
  ['none', 'credential_missing'],
  ['unknown', 'credential_invalid'],
  ['malformed', 'credential_invalid'],
  ['revoked', 'credential_revoked'],
  ['expired', 'credential_expired'],
  ['of an inactive project', 'credential_revoked'],
  ['an API key', 'credential_invalid'],
  ['the id of an access key', 'credential_invalid'],
];

async function send(
  route: Route,
  client: TestClient,
  { path, body, headers: own }: ConcreteRequest,
  others: Record<string, string> = {},
): Promise<TestAnswer> {
  const headers = { ...own, ...others };
  const answer = await {
    GET: () => client.get(path, headers),
    DELETE: () => client.delete(path, headers),
    POST: () => client.post(path, body, headers),
    PATCH: () => client.patch(path, body, headers),
  }[route.method]();
  expect(fits(route, answer)).toBeNull();
  return answer;
}

const requestOf = async (way: Way, owner: Owner): Promise<ConcreteRequest> =>
  way.request(await way.target(owner));

const changesMade = async (): Promise<number> => {
  const { count } = await test.storage.point
    .selectFrom('audit_log')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
};

const expectError = (answer: TestAnswer, code: ErrorCode) =>
  expect({ status: answer.status, code: answer.body?.code }).toEqual({
    status: ERRORS[code][0],
    code,
  });

function expectAdmitted(route: Route, answer: TestAnswer): void {
  const { refusedAs } = rowOf(route);
  if (refusedAs !== undefined) expectError(answer, refusedAs as ErrorCode);
  else expect(answer.status).toBe(route.status);
}

describe('the matrix', () => {
  it('has a row for every route, and no row without one', () => {
    const served = test.app.routes.map(({ operationId }) => operationId).toSorted();
    expect(served).toEqual(Object.keys(MATRIX).toSorted());
    expect(new Set(served).size).toBe(served.length);
    expect(ROUTES.map(({ operationId }) => operationId).toSorted()).toEqual(served);
  });
});

describe.each(guarded.map((route) => [route.operationId, route] as const))('%s', (_, route) => {
  const [way] = rowOf(route).ways;

  it.each(REFUSED)('credential %s: 401 %s, and nothing is changed', async (credential, code) => {
    const request = await requestOf(way, mine);
    const before = await changesMade();
    const answer = await send(route, test.client.as(bad[credential]!), request);
    expectError(answer, code);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('ratelimit-limit')).toBeNull();
    expect(await changesMade()).toBe(before);
  });

  it('an Authorization header does not help a bad x-api-key', async () => {
    const request = await requestOf(way, mine);
    const answer = await send(route, test.client.as(bad.unknown!), request, {
      authorization: `Bearer ${test.accessKey}`,
    });
    expectError(answer, 'credential_invalid');
  });

  it('every scope but its own: 403 scope_missing', async () => {
    const scopes = SCOPES.filter((scope) => scope !== route.access);
    const { body } = await test.client.post('/access-keys', { name: 'Less', scopes });
    const request = await requestOf(way, mine);
    const before = await changesMade();
    const answer = await send(route, test.client.as(body.key), request);
    expectError(answer, 'scope_missing');
    expect(answer.body.message).toContain(route.access);
    expect(await changesMade()).toBe(before);
  });

  it('its own scope is enough', async () => {
    const scopes = [...new Set([route.access, ...(rowOf(route).grants ?? [])])];
    const { body } = await test.client.post('/access-keys', { name: 'Just this', scopes });
    const answer = await send(route, test.client.as(body.key), await requestOf(way, mine));
    expectAdmitted(route, answer);
  });

  it('a valid access key is admitted, in either header', async () => {
    expectAdmitted(route, await send(route, test.client, await requestOf(way, mine)));
    for (const authorization of [`Bearer ${test.accessKey}`, test.accessKey])
      expectAdmitted(
        route,
        await send(route, test.client.as(null), await requestOf(way, mine), { authorization }),
      );
  });

  describe.each(rowOf(route).ways.map((each) => [each.named, each] as const))(
    'naming %s',
    (_named, each) => {
      it('of another account: as if it were not there', async () => {
        if (each.named === 'nothing') return expectNothingTheirs(route, each);
        const target = await each.target(theirs);
        const unknown = each.unknown();
        const before = await changesMade();
        const foreign = await send(route, test.client, each.request(target));
        const absent = await send(route, test.client, each.request(unknown));
        expect(foreign.status).toBe(each.foreign === 'empty list' ? 200 : 404);
        if (each.foreign === 'empty list') expect(foreign.body).toEqual([]);
        expect(told(foreign)).toEqual(told(absent));
        expect(foreign.text).not.toContain(target);
        expect(await changesMade()).toBe(before);
      });

      it('of another project, with a project-level access key', async () => {
        const target = await each.target(mine);
        const before = await changesMade();
        const answer = await send(route, test.client.as(besideKey), each.request(target));
        expect(await changesMade()).toBe(before);
        if (each.otherProject === 'level_too_low') return expectError(answer, 'level_too_low');
        if (each.otherProject === 'allowed') {
          expectAdmitted(route, answer);
          expect(answer.text).not.toContain(mine.projectId);
          return;
        }
        const absent = await send(route, test.client.as(besideKey), each.request(each.unknown()));
        expect(answer.status).toBe(each.foreign === 'empty list' ? 200 : 404);
        expect(told(answer)).toEqual(told(absent));
        expect(answer.text).not.toContain(target);
      });

      it('of its own project, with a project-level access key', async () => {
        if (route.operationId === 'deleteProject') return;
        const answer = await send(route, test.client.as(projectKey), await requestOf(each, mine));
        if (each.otherProject === 'level_too_low') expectError(answer, 'level_too_low');
        else expectAdmitted(route, answer);
      });
    },
  );
});

describe.each(open.map((route) => [route.operationId, route] as const))(
  '%s, public',
  (_, route) => {
    const [way] = rowOf(route).ways;

    it.each(Object.keys(Object.fromEntries(REFUSED)))(
      'answers with credential %s',
      async (kind) => {
        const answer = await send(route, test.client.as(bad[kind]!), await requestOf(way, mine));
        expect(answer.status).toBe(route.status);
        expect(answer.text).not.toContain(mine.accountId);
      },
    );
  },
);

/** A list without a name in it: what the other account has must not be in it. */
async function expectNothingTheirs(route: Route, way: Way): Promise<void> {
  const answer = await send(route, test.client, await requestOf(way, mine));
  expectAdmitted(route, answer);
  expect(answer.text).not.toContain(theirs.accountId);
}

/** All that an answer tells, without what differs from request to request. */
function told(answer: TestAnswer) {
  const differs = new Set(['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-consumed']);
  return {
    status: answer.status,
    text: answer.text.replace(/"requestId":"[^"]+"/, ''),
    headers: [...answer.headers].filter(([name]) => !differs.has(name)),
  };
}
