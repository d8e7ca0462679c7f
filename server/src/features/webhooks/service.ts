import { VALUE_TOPICS } from '@keyward/rules/topics.ts';
import type { Actor } from '../../kernel/actor.ts';
import { ownProject, type Principal, requireScope, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { listing } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { Storage } from '../../storage/index.ts';
import type { AuditEntry, ChangeRunner, Idempotency, Unit } from '../changes/index.ts';
import { requireProject } from '../projects/index.ts';
import {
  requireTopicScopes,
  requireTopicScopesOfUpdate,
  visibleWebhook,
  webhookOrDeleted,
} from './access.ts';
import { AuthorRights, type ReadPrincipal } from './author-rights.ts';
import { parseCustomHeaders } from './custom-headers.ts';
import { decryptHeaders, encryptHeaders, encryptSecret } from './encryption.ts';
import { unmaskHeaders } from './header-masks.ts';
import { webhook } from './record.ts';
import { cancelReplays } from './replays/store.ts';
import type {
  CreateWebhook,
  ListWebhooks,
  UpdateWebhook,
  Webhook,
  WebhookWithSecret,
} from './schema.ts';
import {
  allSetBy,
  authorsIn,
  creatorOf,
  isAuthor,
  isOnlyAuthor,
  setByAfter,
  setByOf,
  setByText,
} from './setting-authors.ts';
import {
  cancelDeliveries,
  deleteStoredResponses,
  holdDeliveries,
  insertWebhook,
  listWebhookRows,
  maskDeliveries,
  releaseDeliveries,
  updateWebhook,
  type WebhookRow,
} from './store.ts';
import type { AllowList } from './transport/address-rules.ts';
import { newSecret } from './transport/sign.ts';
import { checkTarget } from './transport/target.ts';
import { updateOf } from './update.ts';

/** How long the previous secret still signs after a rotation. */
const OVERLAP_MS = 24 * 3_600_000;

interface WebhookServiceParts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly allow: AllowList;
  readonly readPrincipal: ReadPrincipal;
  /** Called after a commit that made deliveries due. */
  readonly wake: (webhookIds: readonly string[]) => void;
}

/**
 * Webhooks: live or paused as their owner sets it, or disabled by the delivery engine after five days of
 * failures or a 410 response, until the owner sets them live again. A deleted webhook keeps its row, without
 * secrets, for the history of its deliveries.
 */
export class WebhookService {
  readonly #parts: WebhookServiceParts;

  constructor(parts: WebhookServiceParts) {
    this.#parts = parts;
  }

  async create(
    actor: Actor,
    input: CreateWebhook,
    idempotency?: Idempotency,
  ): Promise<WebhookWithSecret> {
    const tenant = tenantOf(actor.principal);
    if (input.accountId !== undefined && input.accountId !== tenant.accountId)
      throw new KeywardError('account_not_found');
    const projectId = input.projectId === undefined ? ownProject(tenant) : input.projectId;
    await this.#requireActiveProject(actor.principal, projectId);
    checkTarget(input.url, this.#parts.allow);
    const headers = unmaskHeaders(parseCustomHeaders(input.customHeaders ?? {}), {});
    const secret = newSecret();
    const make = async (unit: Unit): Promise<WebhookWithSecret> => {
      const id = this.#parts.ids('whk');
      const settings = {
        id,
        account_id: tenant.accountId,
        project_id: projectId,
        name: input.name,
        url: input.url,
        topics: JSON.stringify(input.topics),
        http_method: input.httpMethod ?? ('POST' as const),
        format: input.format ?? ('standard' as const),
        status: input.status ?? ('live' as const),
        disabled_reason: null,
        custom_headers: encryptHeaders(this.#parts.secrets, id, headers),
        secret: encryptSecret(this.#parts.secrets, id, secret),
        previous_secret: null,
        previous_secret_until: null,
        failing_since: null,
        created_at: unit.now,
        updated_at: unit.now,
        deleted_at: null,
      };
      const setBy = allSetBy(actor.principal.id);
      const row: WebhookRow = {
        ...settings,
        set_by: setByText(setBy, settings, actor.principal.id),
      };
      requireTopicScopes(actor.principal, row);
      await insertWebhook(unit.tx, row);
      this.#recordChange(unit, 'webhook.created', null, row);
      return { ...webhook(row, this.#parts.secrets), secret };
    };
    return this.#parts.changes.run(actor, make, idempotency);
  }

  async get(principal: Principal, id: string): Promise<Webhook> {
    const row = await visibleWebhook(this.#parts.storage.point, principal, 'webhooks:read', id);
    return webhook(row, this.#parts.secrets);
  }

  async list(principal: Principal, filter: ListWebhooks): Promise<Listing<Webhook>> {
    const tenant = tenantOf(principal);
    const accountId = filter.accountId ?? tenant.accountId;
    const resource = { accountId, projectId: tenant.projectIds?.[0] ?? null };
    requireScope(principal, 'webhooks:read', resource, 'account_not_found');
    const { storage, secrets } = this.#parts;
    return listing(
      filter,
      'whk',
      (range) => listWebhookRows(storage, tenant, filter, range),
      (row) => webhook(row, secrets),
    );
  }

  async update(actor: Actor, id: string, input: UpdateWebhook): Promise<Webhook> {
    const { principal } = actor;
    const found = await visibleWebhook(this.#parts.storage.point, principal, 'webhooks:write', id);
    if (input.projectId !== undefined && input.projectId !== found.project_id)
      await this.#requireActiveProject(principal, input.projectId);
    if (input.url !== undefined) checkTarget(input.url, this.#parts.allow);
    const updated = await this.#parts.changes.run(actor, async (unit) => {
      const before = await visibleWebhook(unit.tx, principal, 'webhooks:write', id);
      const change = updateOf(before, input, this.#parts.secrets);
      const takesOver = input.takeOver === true && !isOnlyAuthor(before, principal.id);
      if (change === null && !takesOver) return webhook(before, this.#parts.secrets);
      const settings = { ...before, ...change, updated_at: unit.now };
      const rights = this.#authorRights(unit);
      await requireKept(rights, principal, before, { ...settings, takesOver }, this.#parts.secrets);
      const setBy = takesOver ? allSetBy(principal.id) : setByAfter(before, settings, principal.id);
      const creator = creatorOf(before);
      const everyone = [creator, ...authorsIn(setByOf(before))];
      const isCreator = takesOver && (await rights.areHeldBy(principal, before, everyone));
      const after = {
        ...settings,
        set_by: setByText(setBy, settings, isCreator ? principal.id : creator),
      };
      if (takesOver) requireTopicScopes(principal, after);
      requireTopicScopesOfUpdate(principal, before, after);
      await updateWebhook(unit.tx, id, {
        ...change,
        set_by: after.set_by,
        updated_at: unit.now,
      });
      await updateDeliveries(unit, before, after, principal.id);
      this.#recordChange(unit, 'webhook.updated', before, after);
      return webhook(after, this.#parts.secrets);
    });
    if (input.status === 'live') this.#parts.wake([id]);
    return updated;
  }

  /**
   * The old secret signs for another day, so that receivers can switch over. A second rotation within
   * that day is rejected: it would invalidate the secret that receivers may still use. The caller learns the
   * new secret, and could then send messages that seem to come from a webhook of the creator.
   */
  async rotateSecret(actor: Actor, id: string): Promise<WebhookWithSecret> {
    const { principal } = actor;
    await visibleWebhook(this.#parts.storage.point, principal, 'webhooks:write', id);
    const secret = newSecret();
    return this.#parts.changes.run(actor, async (unit) => {
      const before = await visibleWebhook(unit.tx, principal, 'webhooks:write', id);
      const rights = this.#authorRights(unit);
      await rights.require(principal, before, [creatorOf(before)], 'rotate the secret');
      const overlapEnd = before.previous_secret_until ?? 0;
      if (unit.now < overlapEnd) throw stillRotating(overlapEnd);
      const change = {
        secret: encryptSecret(this.#parts.secrets, id, secret),
        previous_secret: before.secret,
        previous_secret_until: unit.now + OVERLAP_MS,
        updated_at: unit.now,
      };
      await updateWebhook(unit.tx, id, change);
      const after = { ...before, ...change };
      this.#recordChange(unit, 'webhook.secret-rotated', before, after);
      return { ...webhook(after, this.#parts.secrets), secret };
    });
  }

  /** Deleting a deleted webhook succeeds while its row is kept. */
  async delete(actor: Actor, id: string): Promise<void> {
    const { principal } = actor;
    await webhookOrDeleted(this.#parts.storage.point, principal, 'webhooks:write', id);
    await this.#parts.changes.onFullDisk.run(actor, async (unit) => {
      const before = await webhookOrDeleted(unit.tx, principal, 'webhooks:write', id);
      if (before.deleted_at !== null) return;
      // Replays first: they could add deliveries after the existing ones were cancelled.
      await cancelReplays(unit.tx, id, unit.now);
      await updateWebhook(unit.tx, id, { ...ERASED, updated_at: unit.now, deleted_at: unit.now });
      await cancelDeliveries(unit.tx, id, unit.now);
      await deleteStoredResponses(unit.tx, id);
      this.#recordChange(unit, 'webhook.deleted', before, null);
    });
  }

  #authorRights({ tx, now }: Unit): AuthorRights {
    return new AuthorRights(this.#parts.readPrincipal, tx, now);
  }

  async #requireActiveProject(principal: Principal, projectId: string | null): Promise<void> {
    const { accountId } = tenantOf(principal);
    requireScope(principal, 'webhooks:write', { accountId, projectId }, 'project_not_found');
    if (projectId === null) return;
    const project = await requireProject(this.#parts.storage.point, accountId, projectId);
    if (project.is_active === 0) throw new KeywardError('project_inactive');
  }

  #recordChange(
    unit: Unit,
    action: AuditEntry['action'],
    before: WebhookRow | null,
    after: WebhookRow | null,
  ): void {
    const row = (after ?? before)!;
    unit.audit({
      action,
      accountId: row.account_id,
      projectId: row.project_id,
      targetType: 'webhook',
      targetId: row.id,
      before: before && webhook(before, this.#parts.secrets),
      after: after && webhook(after, this.#parts.secrets),
    });
  }
}

/**
 * Throws if an update would send credentials or key values of others elsewhere: stored header values to
 * another URL, or key values in events that had none. A caller who keeps a stored value in a changed list,
 * or with a take-over, becomes the author of the list, and could change the URL next.
 */
async function requireKept(
  rights: AuthorRights,
  principal: Principal,
  before: WebhookRow,
  after: WebhookRow & { readonly takesOver: boolean },
  secrets: Secrets,
): Promise<void> {
  const setBy = setByOf(before);
  const isChanged = after.url !== before.url || after.custom_headers !== before.custom_headers;
  if ((isChanged || after.takesOver) && keepsHeaderValue(before, after, secrets))
    await rights.require(
      principal,
      before,
      [creatorOf(before), setBy.customHeaders],
      'keep stored values of customHeaders',
    );
  const startsValues = before.format !== 'standard' && after.format === 'standard';
  const topics: readonly string[] = JSON.parse(after.topics);
  if (startsValues && VALUE_TOPICS.some((topic) => topics.includes(topic)))
    await rights.require(
      principal,
      before,
      [creatorOf(before), ...authorsIn(setBy)],
      'send key values',
    );
}

function keepsHeaderValue(before: WebhookRow, after: WebhookRow, secrets: Secrets): boolean {
  const stored = new Set(Object.values(decryptHeaders(secrets, before)));
  return Object.values(decryptHeaders(secrets, after)).some((value) => stored.has(value));
}

const stillRotating = (until: number): KeywardError =>
  new KeywardError(
    'secret_rotating',
    `The previous secret is valid until ${new Date(until).toISOString()}. Rotate again after that.`,
  );

/** A deleted webhook cannot be read and sends nothing. */
const ERASED = {
  status: 'paused',
  custom_headers: '',
  secret: '',
  previous_secret: null,
  previous_secret_until: null,
} as const;

/** Applies an update of the webhook to its waiting deliveries. */
async function updateDeliveries(
  unit: Unit,
  before: WebhookRow,
  after: WebhookRow,
  principalId: string,
): Promise<void> {
  const { tx, now } = unit;
  // Waiting key values were meant for the previous authors.
  if (!isAuthor(before, principalId) && isAuthor(after, principalId))
    await maskDeliveries(tx, after.id);
  // Cancelled now, because a later change of the URL checks the scopes of its caller only for the project and
  // topics that the webhook has then.
  if (after.project_id !== before.project_id || after.topics !== before.topics)
    await cancelDeliveries(tx, after.id, now, after);
  if (after.status === before.status) return;
  if (after.status === 'live') await releaseDeliveries(tx, after.id, now);
  else await holdDeliveries(tx, after.id, now);
}
