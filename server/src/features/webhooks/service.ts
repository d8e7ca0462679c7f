import type { Actor } from '../../kernel/actor.ts';
import { demand, ownProject, type Principal, tenantOf } from '../../kernel/authority.ts';
import type { Secrets } from '../../kernel/crypto.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { listing } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import type { Storage } from '../../storage/index.ts';
import type { ChangeRunner, Idempotency, Unit } from '../changes/index.ts';
import { projectIn } from '../projects/index.ts';
import { demandValues, demandValuesOfUpdate, rememberedWebhook, visibleWebhook } from './access.ts';
import { parseCustomHeaders } from './custom-headers.ts';
import { sealHeaders, sealSecret } from './encryption.ts';
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
  haveSameSettings,
  isSetBy,
  setByAfter,
  setByOf,
  setByText,
  settersIn,
} from './set-by.ts';
import {
  cancelDeliveries,
  forgetAnswers,
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
import { parseTarget } from './transport/target.ts';
import { updateOf } from './update.ts';

/** How long a secret goes on signing beside the one that replaced it. */
const OVERLAP_MS = 24 * 3_600_000;

/**
 * Subscriptions. A webhook is live or paused as its owner says, disabled by the delivery engine
 * after lasting failure, and live again when its owner says so. Deleted, it keeps its row for the
 * history of its deliveries and nothing that is secret.
 */
export class WebhookService {
  readonly #storage: Storage;
  readonly #changes: ChangeRunner;
  readonly #secrets: Secrets;
  readonly #ids: MakeId;
  readonly #allow: AllowList;
  readonly #wake: (webhookIds: readonly string[]) => void;

  constructor(parts: {
    storage: Storage;
    changes: ChangeRunner;
    secrets: Secrets;
    ids: MakeId;
    allow: AllowList;
    /** Called after a commit that made deliveries due. */
    wake: (webhookIds: readonly string[]) => void;
  }) {
    this.#storage = parts.storage;
    this.#changes = parts.changes;
    this.#secrets = parts.secrets;
    this.#ids = parts.ids;
    this.#allow = parts.allow;
    this.#wake = parts.wake;
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
    await this.#demandProject(actor.principal, projectId);
    parseTarget(input.url, this.#allow);
    const headers = unmaskHeaders(parseCustomHeaders(input.customHeaders ?? {}), {});
    const secret = newSecret();
    const make = async (unit: Unit): Promise<WebhookWithSecret> => {
      const id = this.#ids('whk');
      const settings = {
        id,
        account_id: tenant.accountId,
        project_id: projectId,
        name: input.name,
        url: input.url,
        topics: JSON.stringify(input.topics),
        http_method: input.httpMethod ?? ('POST' as const),
        status: input.status ?? ('live' as const),
        disabled_reason: null,
        custom_headers: sealHeaders(this.#secrets, id, headers),
        secret: sealSecret(this.#secrets, id, secret),
        previous_secret: null,
        previous_secret_until: null,
        failing_since: null,
        created_at: unit.now,
        updated_at: unit.now,
        deleted_at: null,
      };
      const setBy = allSetBy(actor.principal.id);
      const row: WebhookRow = { ...settings, set_by: setByText(setBy, settings) };
      demandValues(actor.principal, row);
      await insertWebhook(unit.tx, row);
      this.#note(unit, 'webhook.created', null, row);
      return { ...webhook(row, this.#secrets), secret };
    };
    return this.#changes.run(actor, make, idempotency);
  }

  async get(principal: Principal, id: string): Promise<Webhook> {
    const row = await visibleWebhook(this.#storage.point, principal, 'webhooks:read', id);
    return webhook(row, this.#secrets);
  }

  async list(principal: Principal, filter: ListWebhooks): Promise<Listing<Webhook>> {
    const tenant = tenantOf(principal);
    const accountId = filter.accountId ?? tenant.accountId;
    const resource = { accountId, projectId: tenant.projectIds?.[0] ?? null };
    demand(principal, 'webhooks:read', resource, 'account_not_found');
    return listing(filter, 'whk', async (before, size) => {
      const rows = await listWebhookRows(this.#storage, tenant, filter, before, size);
      return rows.map((row) => webhook(row, this.#secrets));
    });
  }

  async update(actor: Actor, id: string, input: UpdateWebhook): Promise<Webhook> {
    const { principal } = actor;
    const found = await visibleWebhook(this.#storage.point, principal, 'webhooks:write', id);
    if (input.projectId !== undefined && input.projectId !== found.project_id)
      await this.#demandProject(principal, input.projectId);
    if (input.url !== undefined) parseTarget(input.url, this.#allow);
    const updated = await this.#changes.run(actor, async (unit) => {
      const before = await visibleWebhook(unit.tx, principal, 'webhooks:write', id);
      const change = updateOf(before, input, this.#secrets);
      const takesOver = input.takeOver === true && !isSetBy(before, principal.id);
      if (change === null && !takesOver) return webhook(before, this.#secrets);
      const settings = { ...before, ...change, updated_at: unit.now };
      const setBy = takesOver ? allSetBy(principal.id) : setByAfter(before, settings, principal.id);
      const after = { ...settings, set_by: setByText(setBy, settings) };
      if (takesOver) demandValues(principal, after);
      demandValuesOfUpdate(principal, before, after);
      await updateWebhook(unit.tx, id, {
        ...change,
        set_by: after.set_by,
        updated_at: unit.now,
      });
      await settleDeliveries(unit, before, after, principal.id);
      this.#note(unit, 'webhook.updated', before, after);
      return webhook(after, this.#secrets);
    });
    if (input.status === 'live') this.#wake([id]);
    return updated;
  }

  /**
   * The old secret goes on signing for a day, so that a receiver can change over. Only two sign at
   * once: a second rotation within that day would end the one that receivers may still be using.
   */
  async rotateSecret(actor: Actor, id: string): Promise<WebhookWithSecret> {
    const { principal } = actor;
    await visibleWebhook(this.#storage.point, principal, 'webhooks:write', id);
    const secret = newSecret();
    return this.#changes.run(actor, async (unit) => {
      const before = await visibleWebhook(unit.tx, principal, 'webhooks:write', id);
      const overlapEnd = before.previous_secret_until ?? 0;
      if (unit.now < overlapEnd) throw stillRotating(overlapEnd);
      const change = {
        secret: sealSecret(this.#secrets, id, secret),
        previous_secret: before.secret,
        previous_secret_until: unit.now + OVERLAP_MS,
        updated_at: unit.now,
      };
      await updateWebhook(unit.tx, id, change);
      const after = { ...before, ...change };
      this.#note(unit, 'webhook.secret-rotated', before, after);
      return { ...webhook(after, this.#secrets), secret };
    });
  }

  /** Deleting what is deleted already succeeds, for as long as its row is kept. */
  async delete(actor: Actor, id: string): Promise<void> {
    const { principal } = actor;
    await rememberedWebhook(this.#storage.point, principal, 'webhooks:write', id);
    await this.#changes.run(actor, async (unit) => {
      const before = await rememberedWebhook(unit.tx, principal, 'webhooks:write', id);
      if (before.deleted_at !== null) return;
      // First the replays, which would otherwise make deliveries behind the cancelling.
      await cancelReplays(unit.tx, id, unit.now);
      await updateWebhook(unit.tx, id, { ...ERASED, updated_at: unit.now, deleted_at: unit.now });
      await cancelDeliveries(unit.tx, id, unit.now);
      await forgetAnswers(unit.tx, id);
      this.#note(unit, 'webhook.deleted', before, null);
    });
  }

  async #demandProject(principal: Principal, projectId: string | null): Promise<void> {
    const { accountId } = tenantOf(principal);
    demand(principal, 'webhooks:write', { accountId, projectId }, 'project_not_found');
    if (projectId === null) return;
    const project = await projectIn(this.#storage.point, accountId, projectId);
    if (!project) throw new KeywardError('project_not_found');
    if (project.is_active === 0) throw new KeywardError('project_inactive');
  }

  #note(unit: Unit, action: string, before: WebhookRow | null, after: WebhookRow | null): void {
    const row = (after ?? before)!;
    unit.audit({
      action,
      accountId: row.account_id,
      projectId: row.project_id,
      targetType: 'webhook',
      targetId: row.id,
      before: before && webhook(before, this.#secrets),
      after: after && webhook(after, this.#secrets),
    });
  }
}

const stillRotating = (until: number): KeywardError =>
  new KeywardError(
    'secret_rotating',
    `The secret before this one signs until ${new Date(until).toISOString()}. Rotate again after that.`,
  );

/** Nothing opens these again: a deleted webhook is seen by nobody and sends nothing. */
const ERASED = {
  status: 'paused',
  custom_headers: '',
  secret: '',
  previous_secret: null,
  previous_secret_until: null,
} as const;

/** What an update of the webhook means for what waits to be sent. */
async function settleDeliveries(
  unit: Unit,
  before: WebhookRow,
  after: WebhookRow,
  principalId: string,
): Promise<void> {
  const { tx, now } = unit;
  // The values that wait were meant for those who had set the webhook up.
  const isTheirs = settersIn(setByOf(before)).includes(principalId);
  if (!isTheirs && !haveSameSettings(before, after)) await maskDeliveries(tx, after.id);
  // Whoever holds the new project must not come by the events of the others.
  if (after.project_id !== null && after.project_id !== before.project_id)
    await cancelDeliveries(tx, after.id, now, after.project_id);
  if (after.status === before.status) return;
  if (after.status === 'live') await releaseDeliveries(tx, after.id, now);
  else await holdDeliveries(tx, after.id, now);
}
