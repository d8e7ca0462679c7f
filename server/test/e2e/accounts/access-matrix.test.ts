// 20 s of CPU: every route with every kind of credential.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeRoutes } from '../../../src/app/routes.ts';
import {
  ROLE_SCOPES,
  ROLES,
  type Role,
  SCOPES,
  type Scope,
} from '../../../src/kernel/authority.ts';
import { ERRORS, type ErrorCode } from '../../../src/kernel/errors.ts';
import type { Route } from '../../../src/kernel/route.ts';
import { generateValue } from '../../../src/kernel/secrets/key-values.ts';
import { createMember, type TestMember } from '../../harness/member.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import type { TestClient, TestResponse } from '../../harness/test-client.ts';
import { createOtherAccount } from '../other-account.ts';
import { createResponseCheck, type ResponseCheck } from '../response-check.ts';
import {
  type ConcreteRequest,
  MATRIX,
  type MatrixRow,
  type Owner,
  type Way,
} from './matrix-rows.ts';

/**
 * Every route × every kind of credential. The rows define how a route is called; the expected
 * response follows from the description of the route, so that the same rules apply to a new route.
 */
const ROUTES = describeRoutes();
const rowOf = (route: Route): MatrixRow => MATRIX[route.operationId]!;
const KNOWN = ROUTES.filter((route) => route.operationId in MATRIX);
/** Credentials and origins are checked before storage is used, so testing on SQLite is enough. */
const onSqlite = <T>(list: readonly T[]): readonly T[] =>
  process.env.TEST_ENGINE === 'postgres' ? [] : list;
/** Routes of the portal are called with every credential in portal-matrix.test.ts. */
const guarded = KNOWN.filter(({ access }) => !['public', 'person', 'portal'].includes(access));
const open = onSqlite(KNOWN.filter(({ access, fromPages }) => access === 'public' && !fromPages));
const forPages = onSqlite(KNOWN.filter(({ fromPages }) => fromPages));
const forPeople = onSqlite(KNOWN.filter(({ access }) => access === 'person'));

let test: TestApp;
let violationIn: ResponseCheck;
let mine: Owner;
let theirs: Owner;
/** A project-level access key of another project in the same account. */
let otherProjectKey: string;
/** A project-level access key of the project that contains the targets. */
let projectKey: string;
const invalidCredentials: Record<string, string | null> = {};
/** Signed-in users: one per role, two limited to projects, and one of another account. */
let people: Record<Role | 'otherProject' | 'several' | 'stranger', TestMember>;

beforeAll(async () => {
  test = await startTestApp();
  violationIn = createResponseCheck(test.app.routes);
  const { client, accountId, projectId } = test;
  mine = { client, accountId, projectId, membership: addViewerTo(accountId, projectId) };
  const other = await createOtherAccount(test);
  theirs = { ...other, membership: addViewerTo(other.accountId, other.projectId) };
  const accessKey = async (body: object) =>
    (await client.post('/access-keys', { name: 'Matrix', ...body })).body;
  const projectNamed = async (name: string) => (await client.post('/projects', { name })).body.id;
  projectKey = (await accessKey({ projectId })).key;
  const otherProject = await projectNamed('Other project');
  otherProjectKey = (await accessKey({ projectId: otherProject })).key;

  const revoked = await accessKey({});
  await client.delete(`/access-keys/${revoked.id}`);
  const expired = await accessKey({ expiry: new Date(test.clock.now + 1000).toISOString() });
  test.clock.now += 1000;
  const inactive = await projectNamed('Inactive');
  const ofInactive = await accessKey({ projectId: inactive });
  await client.delete(`/projects/${inactive}`);
  const apiKey = await client.post('/api-keys', { name: 'No access key', projectId });
  const unknown = generateValue('account_access_');
  const { accountId: account } = mine;
  const membership = async (role: Role, projectIds?: string[], accountId = account) => {
    const person = await createMember(test, [
      { accountId, role, ...(projectIds && { projectIds }) },
    ]);
    // A user who creates an account in a test then has two, and must name the account.
    person.useAccount(accountId);
    return person;
  };
  people = {
    owner: await membership('owner'),
    admin: await membership('admin'),
    developer: await membership('developer'),
    viewer: await membership('viewer'),
    otherProject: await membership('owner', [otherProject]),
    several: await membership('owner', [otherProject, mine.projectId]),
    stranger: await membership('owner', undefined, theirs.accountId),
  };
  Object.assign(invalidCredentials, {
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

const INVALID_CREDENTIALS: readonly (readonly [credential: string, code: ErrorCode])[] = [
  ['none', 'credential_missing'],
  ['unknown', 'credential_invalid'],
  ['malformed', 'credential_invalid'],
  ['revoked', 'credential_revoked'],
  ['expired', 'credential_expired'],
  ['of an inactive project', 'credential_revoked'],
  ['an API key', 'credential_invalid'],
  ['the id of an access key', 'credential_invalid'],
];

const addViewerTo = (accountId: string, projectId: string) => async () =>
  (await createMember(test, [{ accountId, role: 'viewer', projectIds: [projectId] }])).id;

async function send(
  route: Route,
  client: Omit<TestClient, 'as'>,
  { path, body, headers: own }: ConcreteRequest,
  others: Record<string, string> = {},
): Promise<TestResponse> {
  const headers = { ...own, ...others };
  const response = await {
    GET: () => client.get(path, headers),
    DELETE: () => client.delete(path, headers),
    POST: () => client.post(path, body, headers),
    PATCH: () => client.patch(path, body, headers),
  }[route.method]();
  expect(violationIn(route, response)).toBeNull();
  return response;
}

const requestOf = async (way: Way, owner: Owner): Promise<ConcreteRequest> =>
  way.request(await way.target(owner));

/** The number of the newest change. */
const lastChange = async (): Promise<number> => {
  const { seq } = await test.storage.point
    .selectFrom('audit_log')
    .select('seq')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return seq;
};

const expectError = (response: TestResponse, code: ErrorCode) =>
  expect({ status: response.status, code: response.body?.code }).toEqual({
    status: ERRORS[code][0],
    code,
  });

function expectAdmitted(route: Route, response: TestResponse): void {
  const { refusedAs } = rowOf(route);
  if (refusedAs !== undefined) expectError(response, refusedAs as ErrorCode);
  else expect(response.status).toBe(route.status);
}

describe('matrix', () => {
  it('has a row for every route, and no row without one', () => {
    const served = test.app.routes.map(({ operationId }) => operationId).toSorted();
    expect(served).toEqual(Object.keys(MATRIX).toSorted());
    expect(new Set(served).size).toBe(served.length);
    expect(ROUTES.map(({ operationId }) => operationId).toSorted()).toEqual(served);
  });
});

describe.each(guarded.map((route) => [route.operationId, route] as const))('%s', (_, route) => {
  const [way] = rowOf(route).ways;

  it.each(onSqlite(INVALID_CREDENTIALS))(
    'credential %s: 401 %s, and nothing changes',
    async (credential, code) => {
      const request = await requestOf(way, mine);
      const before = await lastChange();
      const response = await send(route, test.client.as(invalidCredentials[credential]!), request);
      expectError(response, code);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(response.headers.get('ratelimit-limit')).toBeNull();
      expect(await lastChange()).toBe(before);
    },
  );

  it('rejects an invalid x-api-key, even with a valid Authorization header', async () => {
    const request = await requestOf(way, mine);
    const response = await send(route, test.client.as(invalidCredentials.unknown!), request, {
      authorization: `Bearer ${test.accessKey}`,
    });
    expectError(response, 'credential_invalid');
  });

  it('rejects an access key with every scope but its own: 403 scope_missing', async () => {
    const scopes = SCOPES.filter((scope) => scope !== route.access);
    const { body } = await test.client.post('/access-keys', { name: 'Less', scopes });
    const request = await requestOf(way, mine);
    const before = await lastChange();
    const response = await send(route, test.client.as(body.key), request);
    expectError(response, 'scope_missing');
    expect(response.body.message).toContain(route.access);
    expect(await lastChange()).toBe(before);
  });

  it('accepts an access key with only its own scope', async () => {
    const scopes = [...new Set([route.access, ...(rowOf(route).otherScopes ?? [])])];
    const { body } = await test.client.post('/access-keys', { name: 'Just this', scopes });
    const response = await send(route, test.client.as(body.key), await requestOf(way, mine));
    expectAdmitted(route, response);
  });

  it('accepts a valid access key in either header', async () => {
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
      it('of another account: the same as if it did not exist', async () => {
        if (each.named === 'nothing') return expectNothingTheirs(route, each);
        const target = await each.target(theirs);
        const unknown = each.unknown();
        const before = await lastChange();
        const foreign = await send(route, test.client, each.request(target));
        const absent = await send(route, test.client, each.request(unknown));
        expect(foreign.status).toBe(statusOfForeign(each));
        if (each.foreign === 'empty list') expect(foreign.body).toEqual([]);
        if (each.foreign === 'count of zero') expect(foreign.body.count).toBe(0);
        if (each.foreign === 'unknown leak')
          expect(foreign.body).toEqual([{ keyId: null, action: 'unknown' }]);
        expect(comparable(foreign)).toEqual(comparable(absent));
        expect(foreign.text).not.toContain(target);
        expect(await lastChange()).toBe(before);
      });

      it('of another project, with a project-level access key', async () => {
        const target = await each.target(mine);
        const before = await lastChange();
        const response = await send(route, test.client.as(otherProjectKey), each.request(target));
        expect(await lastChange()).toBe(before);
        if (each.otherProject === 'level_too_low') return expectError(response, 'level_too_low');
        if (each.otherProject === 'allowed') {
          expectAdmitted(route, response);
          expect(response.text).not.toContain(mine.projectId);
          return;
        }
        const absent = await send(
          route,
          test.client.as(otherProjectKey),
          each.request(each.unknown()),
        );
        expect(response.status).toBe(statusOfForeign(each));
        expect(comparable(response)).toEqual(comparable(absent));
        expect(response.text).not.toContain(target);
      });

      it('of the same project, with a project-level access key', async () => {
        if (route.operationId === 'deleteProject') return;
        const response = await send(route, test.client.as(projectKey), await requestOf(each, mine));
        if (each.otherProject === 'level_too_low') expectError(response, 'level_too_low');
        else expectAdmitted(route, response);
      });
    },
  );
});

describe.each(open.map((route) => [route.operationId, route] as const))(
  '%s, public',
  (_, route) => {
    const [way] = rowOf(route).ways;

    it.each(Object.keys(Object.fromEntries(INVALID_CREDENTIALS)))(
      'answers with credential %s',
      async (kind) => {
        const response = await send(
          route,
          test.client.as(invalidCredentials[kind]!),
          await requestOf(way, mine),
        );
        expectAdmitted(route, response);
        expect(response.text).not.toContain(mine.accountId);
      },
    );
  },
);

const roleHas = (role: Role, scope: Scope): boolean =>
  ROLE_SCOPES[role].some((granted) => granted === '*' || granted === scope);

const forAccessKeysOnly = onSqlite(guarded.filter((route) => rowOf(route).toPeople !== undefined));

describe.each(forAccessKeysOnly.map((route) => [route.operationId, route] as const))(
  '%s, for access keys only',
  (_, route) => {
    it.each(ROLES)('rejects a user with the role %s', async (role) => {
      const request = await requestOf(rowOf(route).ways[0], mine);
      const code = rowOf(route).toPeople!;
      const response = await send(route, people[role], request);
      expectError(response, code);
      if (code === 'scope_missing' && roleHas(role, route.access as Scope))
        expect(response.body.message).toContain('Only access keys');
    });
  },
);

const forBoth = onSqlite(guarded.filter((route) => rowOf(route).toPeople === undefined));

describe.each(forBoth.map((route) => [route.operationId, route] as const))(
  '%s, by users',
  (_, route) => {
    const [way] = rowOf(route).ways;

    it.each(ROLES)('as %s: exactly what the role allows', async (role) => {
      const request = await requestOf(way, mine);
      const before = await lastChange();
      const response = await send(route, people[role], request);
      if (route.personal) expect(response.status).toBe(route.status);
      else if (roleHas(role, route.access as Scope)) expectAdmitted(route, response);
      else {
        expectError(response, 'scope_missing');
        expect(response.body.message).toContain(
          `Your role ${role} lacks the scope ${route.access}`,
        );
        expect(await lastChange()).toBe(before);
      }
    });

    it('with a role in other projects: no more than an access key of one of them', async () => {
      const target = await way.target(mine);
      const before = await lastChange();
      const response = await send(route, people.otherProject, way.request(target));
      if (route.personal) return expect(response.status).toBe(route.status);
      expect(await lastChange()).toBe(before);
      if (way.otherProject === 'level_too_low') return expectError(response, 'level_too_low');
      if (way.otherProject === 'allowed') {
        expectAdmitted(route, response);
        expect(response.text).not.toContain(mine.projectId);
        return;
      }
      const absent = await send(route, people.otherProject, way.request(way.unknown()));
      expect(response.status).toBe(statusOfForeign(way));
      expect(comparable(response)).toEqual(comparable(absent));
    });

    it('with a role in several projects, including this one: as in the whole account', async () => {
      if (route.operationId === 'deleteProject') return;
      const response = await send(route, people.several, await requestOf(way, mine));
      if (route.personal) expect(response.status).toBe(route.status);
      else if (way.otherProject === 'level_too_low') expectError(response, 'level_too_low');
      else expectAdmitted(route, response);
    });

    it('as an owner of another account: as if the resource did not exist', async () => {
      if (way.named === 'nothing') return;
      const target = await way.target(mine);
      const before = await lastChange();
      const foreign = await send(route, people.stranger, way.request(target));
      const absent = await send(route, people.stranger, way.request(way.unknown()));
      expect(foreign.status).toBe(statusOfForeign(way));
      expect(comparable(foreign)).toEqual(comparable(absent));
      expect(await lastChange()).toBe(before);
    });

    it('from another site: rejected if it would change something', async () => {
      const request = await requestOf(way, mine);
      const before = await lastChange();
      const foreign: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site', origin: 'https://keyward.example' },
        { origin: 'null' },
        { origin: '' },
      ];
      for (const headers of foreign) {
        const response = await send(route, people.owner, request, headers);
        if (route.method === 'GET') expectAdmitted(route, response);
        else expectError(response, 'origin_denied');
      }
      if (route.method !== 'GET') expect(await lastChange()).toBe(before);
    });
  },
);

describe.each(forPeople.map((route) => [route.operationId, route] as const))(
  '%s, for users only',
  (_, route) => {
    const [way] = rowOf(route).ways;

    it.each(INVALID_CREDENTIALS)('credential %s: 401 %s', async (credential, code) => {
      const response = await send(
        route,
        test.client.as(invalidCredentials[credential]!),
        await requestOf(way, mine),
      );
      expectError(response, code);
    });

    it('rejects an access key with all scopes: 403', async () => {
      const before = await lastChange();
      expectError(await send(route, test.client, await requestOf(way, mine)), 'people_only');
      expect(await lastChange()).toBe(before);
    });

    it('from another site: rejected if it would change something', async () => {
      if (route.method === 'GET') return;
      const headers = { origin: 'https://evil.example' };
      const response = await send(route, people.viewer, await requestOf(way, mine), headers);
      expectError(response, 'origin_denied');
    });
  },
);

describe.each(forPages.map((route) => [route.operationId, route] as const))(
  '%s, only from our pages',
  (_, route) => {
    const [way] = rowOf(route).ways;
    it.each([
      ['without an origin', {}],
      ['from another site', { origin: 'https://evil.example' }],
      ['with sec-fetch-site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ])('%s: 403', async (_named, headers) => {
      const request = await requestOf(way, mine);
      const response = await send(route, test.client.as(null), request, headers);
      expectError(response, 'origin_denied');
      expect(response.headers.getSetCookie()).toEqual([]);
    });
  },
);

/** A request that names no resource must return nothing of the other account. */
async function expectNothingTheirs(route: Route, way: Way): Promise<void> {
  const response = await send(route, test.client, await requestOf(way, mine));
  expectAdmitted(route, response);
  expect(response.text).not.toContain(theirs.accountId);
}

const statusOfForeign = ({ foreign = 'not found' }: Way) => (foreign === 'not found' ? 404 : 200);

/** A response without the parts that differ between requests. */
function comparable(response: TestResponse) {
  const differs = new Set(['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-consumed']);
  return {
    status: response.status,
    text: response.text.replace(/"requestId":"[^"]+"/, ''),
    headers: [...response.headers].filter(([name]) => !differs.has(name)),
  };
}
