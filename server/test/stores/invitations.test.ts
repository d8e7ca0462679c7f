import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryChangeBus } from '../../src/cluster/change-bus/memory.ts';
import { MemoryCounters } from '../../src/cluster/counters/memory.ts';
import { ChangeRunner } from '../../src/features/changes/index.ts';
import { INVITATION_LIFE_MS } from '../../src/features/people/invitations/rules.ts';
import type { Invitation } from '../../src/features/people/invitations/schema.ts';
import { InvitationService } from '../../src/features/people/invitations/service.ts';
import { MailQueue } from '../../src/features/people/mail/queue.ts';
import { TransactionalOutbox } from '../../src/features/webhooks/index.ts';
import type { Actor } from '../../src/kernel/actor.ts';
import type { GrantedScope } from '../../src/kernel/authority.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { itemsOf } from '../../src/kernel/paging.ts';
import { deriveSecrets, sha256 } from '../../src/kernel/secrets/crypto.ts';
import type { Storage, Tx } from '../../src/storage/index.ts';
import { openTestStorage } from '../harness/test-storage.ts';

const ids = createIds();
let now = 1_800_000_000_000;
const clock = () => now;
let storage: Storage;
let dispose: () => Promise<void>;
let service: InvitationService;
/** With a mail server. */
let mailing: InvitationService;

const provenance = {
  created_by: 'operator',
  created_by_type: 'ACCESS_KEY',
  created_in: 'test',
  last_changed_by: 'operator',
  last_changed_by_type: 'ACCESS_KEY',
  created_at: now,
  updated_at: now,
};

beforeAll(async () => {
  ({ storage, dispose } = await openTestStorage());
  const secrets = deriveSecrets('a root secret for this test');
  const changes = new ChangeRunner({
    storage,
    bus: createMemoryChangeBus(),
    outbox: new TransactionalOutbox({
      storage,
      secrets,
      ids,
      wake: () => {},
      readPrincipal: async () => null,
    }),
    secrets,
    ids,
    clock,
  });
  const counters = new MemoryCounters();
  const serviceWith = (isConfigured: boolean) =>
    new InvitationService({
      storage,
      changes,
      ids,
      publicUrl: () => 'https://k.example',
      mails: new MailQueue({ storage, secrets, ids, isConfigured: isConfigured }),
      counters,
      clock,
    });
  service = serviceWith(false);
  mailing = serviceWith(true);
});

afterAll(() => dispose());

interface Tenant {
  accountId: string;
  projectA: string;
  projectB: string;
  whole: Actor;
  onlyA: Actor;
}

async function createTenant(): Promise<Tenant> {
  const accountId = ids('acc');
  await storage.transaction(async (tx) => {
    await tx
      .insertInto('accounts')
      .values({ id: accountId, name: 'Acme', is_active: 1, ...provenance })
      .execute();
  });
  const [projectA = '', projectB = ''] = await addProjects(accountId, 2);
  return {
    accountId,
    projectA,
    projectB,
    whole: await makeActor(accountId, null),
    onlyA: await makeActor(accountId, projectA),
  };
}

async function addProjects(account_id: string, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, () => {
    const id = ids('prj');
    return { id, account_id, name: id, env: 'live' as const, is_active: 1 as const, ...provenance };
  });
  await storage.transaction((tx) => tx.insertInto('projects').values(rows).execute());
  return rows.map(({ id }) => id);
}

/** The same caller, limited to these projects, as a role of a person may be. */
const withProjects = (actor: Actor, projectIds: string[]): Actor => ({
  ...actor,
  principal: { ...actor.principal, projectIds } as Actor['principal'],
});

async function makeActor(
  accountId: string,
  projectId: string | null,
  scopes: GrantedScope[] = ['*'],
): Promise<Actor> {
  const id = ids('ak');
  await storage.transaction((tx) =>
    tx
      .insertInto('access_keys')
      .values({
        id,
        account_id: accountId,
        project_id: projectId,
        name: `key of ${projectId ?? 'all'}`,
        hash: id,
        mask: '*',
        scopes: JSON.stringify(scopes),
        is_active: 1,
        created_at: now,
        updated_at: now,
      })
      .execute(),
  );
  const principal = {
    kind: 'access-key' as const,
    id,
    accountId,
    projectIds: projectId === null ? null : [projectId],
    scopes: new Set(scopes),
  };
  return { principal, requestId: 'req_1', clientAddress: null, userAgent: null };
}

async function listed(actor: Actor, filter = {}): Promise<Invitation[]> {
  return itemsOf(await service.list(actor.principal, filter));
}

const auditOf = (accountId: string) =>
  storage.read
    .selectFrom('audit_log')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('seq')
    .execute();

const accept = (tx: Tx, id: string) =>
  tx.updateTable('invitations').set({ status: 'accepted' }).where('id', '=', id).execute();

const waitsForLock = async (): Promise<boolean> => {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(storage.read);
  return rows.length > 0;
};

const refusal = (code: string) => expect.objectContaining({ code });

let tenant: Tenant;
beforeEach(async () => {
  now = 1_800_000_000_000;
  tenant = await createTenant();
});

describe('inviting', () => {
  it('returns one record per address, with a link whose token is not stored', async () => {
    const made = await service.create(tenant.whole, {
      emails: ['Ada@example.com', 'grace@example.com', 'ada@example.com'],
      role: 'developer',
    });
    expect(made.map(({ email }) => email)).toEqual(['ada@example.com', 'grace@example.com']);
    const { id, link, ...rest } = made[0]!;
    const token = /^https:\/\/k\.example\/dashboard\/invitations\/(inv_.+)#token=(.{43})$/.exec(
      link!,
    );
    expect(token?.[1]).toBe(id);
    expect(rest).toEqual({
      email: 'ada@example.com',
      role: 'developer',
      accountId: tenant.accountId,
      projectIds: null,
      status: 'pending',
      invitedBy: tenant.whole.principal.id,
      createdAt: '2027-01-15T08:00:00.000Z',
      updatedAt: '2027-01-15T08:00:00.000Z',
      expiresAt: '2027-01-22T08:00:00.000Z',
      acceptedBy: null,
      emailStatus: null,
    });
    const row = await storage.point
      .selectFrom('invitations')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.token_hash).toBe(sha256(token![2]!));
    const seenLater = JSON.stringify([
      await service.get(tenant.whole.principal, id),
      await listed(tenant.whole),
      await service.info(id),
      await auditOf(tenant.accountId),
      row,
    ]);
    expect(seenLater).not.toContain(token![2]!);
    expect(JSON.stringify(await auditOf(tenant.accountId))).not.toContain(row.token_hash);
  });

  it('replaces a pending invitation, and writes both changes to the audit log', async () => {
    const [old] = await service.create(tenant.whole, { emails: ['a@x.io'], role: 'viewer' });
    now += 1000;
    await service.create(tenant.whole, { emails: ['a@x.io'], role: 'admin' });
    expect(await service.get(tenant.whole.principal, old!.id)).toMatchObject({
      status: 'cancelled',
      updatedAt: '2027-01-15T08:00:01.000Z',
    });
    expect((await listed(tenant.whole, { status: 'pending' })).map(({ role }) => role)).toEqual([
      'admin',
    ]);
    expect((await auditOf(tenant.accountId)).map(({ action }) => action)).toEqual([
      'invitation.created',
      'invitation.deleted',
      'invitation.created',
    ]);
  });

  it('does not cancel an invitation that is accepted at the same moment', async () => {
    const invite = { emails: ['a@x.io'], role: 'viewer' as const };
    const [accepted] = await service.create(tenant.whole, invite);
    const { creating } = await storage.transaction(async (tx) => {
      await accept(tx, accepted!.id);
      const creating = service.create(tenant.whole, invite);
      // On SQLite, the other transaction has not started.
      if (storage.engine === 'postgres') await expect.poll(waitsForLock).toBe(true);
      return { creating };
    });
    await creating;
    expect(await service.get(tenant.whole.principal, accepted!.id)).toMatchObject({
      status: 'accepted',
    });
  });

  it('creates invitations to several projects that an inviter with these projects, or more, can manage', async () => {
    const { accountId, projectA, projectB } = tenant;
    // A role has at most 50 projects.
    const others = await addProjects(accountId, 48);
    const invite = {
      emails: ['a@x.io'],
      role: 'viewer' as const,
      projectIds: [projectB, projectA],
    };
    const both = withProjects(tenant.onlyA, [projectA, projectB]);
    const more = withProjects(tenant.onlyA, [...others, projectA, projectB]);
    const [first] = await service.create(both, invite);
    const [second] = await service.create(more, invite);
    expect(await service.get(both.principal, first!.id)).toMatchObject({ status: 'cancelled' });
    for (const actor of [both, more]) {
      const [pending, ...rest] = await listed(actor, { status: 'pending' });
      expect([pending?.id, rest]).toEqual([second!.id, []]);
      await service.update(actor, second!.id, { role: 'developer' });
      await service.resend(actor, second!.id, 'link');
    }
    const other = withProjects(tenant.onlyA, [projectA, ...others]);
    expect(await listed(other)).toEqual([]);
    await service.cancel(both, second!.id);
    expect(await listed(both, { status: 'pending' })).toEqual([]);
  });

  it('with a project-level access key replaces no invitation that the key cannot see', async () => {
    const emails = ['a@x.io'];
    const [wide] = await service.create(tenant.whole, { emails, role: 'admin' });
    const projectIds = [tenant.projectA];
    await service.create(tenant.onlyA, { emails, role: 'viewer', projectIds });
    expect(await service.get(tenant.whole.principal, wide!.id)).toMatchObject({
      status: 'pending',
    });
  });

  it('rejects projects of another account in the same way as unknown ones', async () => {
    const other = await createTenant();
    for (const projectId of [other.projectA, ids('prj'), 'nonsense'])
      await expect(
        service.create(tenant.whole, {
          emails: ['a@x.io'],
          role: 'viewer',
          projectIds: [tenant.projectA, projectId],
        }),
      ).rejects.toEqual(refusal('project_not_found'));
    expect(await listed(tenant.whole)).toEqual([]);
  });

  it('rejects a role beyond the scopes of the inviter', async () => {
    const modest = await makeActor(tenant.accountId, null, ['invitations:write', 'keys:read']);
    await expect(service.create(modest, { emails: ['a@x.io'], role: 'viewer' })).rejects.toEqual(
      refusal('grant_exceeds_own'),
    );
  });
});

describe('reading', () => {
  it('shows nothing to another account, and to a project only invitations to exactly that project', async () => {
    const { projectA, projectB } = tenant;
    const invite = async (email: string, projectIds: string[] | null) =>
      (await service.create(tenant.whole, { emails: [email], role: 'viewer', projectIds }))[0]!.id;
    const wide = await invite('wide@x.io', null);
    const a = await invite('a@x.io', [projectA]);
    const b = await invite('b@x.io', [projectB]);
    const both = await invite('both@x.io', [projectA, projectB]);
    const stranger = (await createTenant()).whole;

    const idsOf = async (actor: Actor, filter = {}) =>
      (await listed(actor, filter)).map(({ id }) => id);
    expect(await idsOf(tenant.whole)).toEqual([both, b, a, wide]);
    expect(await idsOf(tenant.whole, { projectId: projectA })).toEqual([both, a]);
    expect(await idsOf(tenant.whole, { projectId: '%' })).toEqual([]);
    expect(await idsOf(tenant.onlyA)).toEqual([a]);
    expect(await idsOf(tenant.onlyA, { projectId: projectB })).toEqual([]);
    expect(await idsOf(stranger)).toEqual([]);
    await expect(service.list(stranger.principal, { accountId: tenant.accountId })).rejects.toEqual(
      refusal('account_not_found'),
    );
    for (const [actor, id] of [
      [stranger, wide],
      [tenant.onlyA, wide],
      [tenant.onlyA, b],
      [tenant.onlyA, both],
    ] as const) {
      const notFound = refusal('invitation_not_found');
      await expect(service.get(actor.principal, id)).rejects.toEqual(notFound);
      await expect(service.update(actor, id, { role: 'viewer' })).rejects.toEqual(notFound);
      await expect(service.cancel(actor, id)).rejects.toEqual(notFound);
    }
  });

  it('filters by the status at the current time', async () => {
    await service.create(tenant.whole, { emails: ['old@x.io'], role: 'viewer' });
    now += INVITATION_LIFE_MS;
    await service.create(tenant.whole, { emails: ['new@x.io'], role: 'viewer' });
    const emailsOf = async (status: string) =>
      (await listed(tenant.whole, { status })).map(({ email }) => email);
    expect(await emailsOf('pending')).toEqual(['new@x.io']);
    expect(await emailsOf('expired')).toEqual(['old@x.io']);
    expect(await emailsOf('cancelled')).toEqual([]);
  });

  it('shows the invited person exactly four fields', async () => {
    const [made] = await service.create(tenant.whole, { emails: ['a@x.io'], role: 'viewer' });
    expect(await service.info(made!.id)).toEqual({
      accountName: 'Acme',
      inviter: 'key of all',
      role: 'viewer',
      status: 'pending',
    });
    await expect(service.info(ids('inv'))).rejects.toEqual(refusal('invitation_not_found'));
  });
});

describe('changing', () => {
  it('sets another role only while the invitation is pending', async () => {
    const [made] = await service.create(tenant.whole, { emails: ['a@x.io'], role: 'viewer' });
    const id = made!.id;
    expect(await service.update(tenant.whole, id, { role: 'admin' })).toMatchObject({
      id,
      role: 'admin',
    });
    await service.update(tenant.whole, id, { role: 'admin' });
    now += INVITATION_LIFE_MS;
    await expect(service.update(tenant.whole, id, { role: 'viewer' })).rejects.toEqual(
      refusal('invitation_closed'),
    );
    await service.cancel(tenant.whole, id);
    await service.cancel(tenant.whole, id);
    await expect(service.update(tenant.whole, id, { role: 'viewer' })).rejects.toEqual(
      refusal('invitation_closed'),
    );
    expect((await auditOf(tenant.accountId)).map(({ action }) => action)).toEqual([
      'invitation.created',
      'invitation.updated',
      'invitation.deleted',
    ]);
  });

  it('cannot set a role that the caller cannot grant', async () => {
    const [made] = await service.create(tenant.whole, { emails: ['a@x.io'], role: 'viewer' });
    const modest = await makeActor(tenant.accountId, null, ['invitations:write']);
    await expect(service.update(modest, made!.id, { role: 'owner' })).rejects.toEqual(
      refusal('grant_exceeds_own'),
    );
  });

  it('does not cancel an accepted invitation', async () => {
    const [made] = await service.create(tenant.whole, { emails: ['a@x.io'], role: 'viewer' });
    await storage.transaction((tx) => accept(tx, made!.id));
    await expect(service.cancel(tenant.whole, made!.id)).rejects.toEqual(
      refusal('invitation_closed'),
    );
  });
});

it('sends at most 500 invitations per hour by email for an account; links are not limited', async () => {
  let last = 0;
  const invite = (by: InvitationService, actor: Actor, count: number) => {
    const emails = Array.from({ length: count }, () => `${last++}@x.io`);
    return by.create(actor, { emails, role: 'viewer' });
  };
  const { whole } = tenant;
  const [first] = await invite(mailing, whole, 1);
  const { id } = first!;
  await mailing.resend(whole, id, 'mail');
  for (let sent = 2; sent < 452; sent += 50) await invite(mailing, whole, 50);
  now += 600_000;
  await expect(invite(mailing, whole, 49)).rejects.toMatchObject({
    code: 'management_rate_limited',
    headers: expect.arrayContaining(['Retry-After', 'retry-after-seconds', '3000']),
  });
  expect(await invite(mailing, whole, 48)).toHaveLength(48);
  await expect(mailing.resend(whole, id, 'mail')).rejects.toEqual(
    refusal('management_rate_limited'),
  );

  expect(await mailing.resend(whole, id, 'link')).toMatchObject({ emailStatus: null });
  expect(await invite(service, whole, 1)).toHaveLength(1);
  expect(await invite(mailing, (await createTenant()).whole, 50)).toHaveLength(50);
  now += 3_000_000;
  expect(await mailing.resend(whole, id, 'mail')).toMatchObject({ emailStatus: 'queued' });
});
