import type { Kysely } from 'kysely';
import { demand, type Principal, type Scope, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/index.ts';
import type { Topic } from '../changes/index.ts';
import { findWebhook, type WebhookRow } from './store.ts';

/** A webhook that the caller may see and use; deleted ones are not found. */
export async function visibleWebhook(
  db: Kysely<Database>,
  principal: Principal,
  action: Scope,
  id: string,
): Promise<WebhookRow> {
  const row = await webhookOrDeleted(db, principal, action, id);
  if (row.deleted_at !== null) throw new KeywardError('webhook_not_found');
  return row;
}

/** The same, but deleted webhooks are found too while their row is kept. */
export async function webhookOrDeleted(
  db: Kysely<Database>,
  principal: Principal,
  action: Scope,
  id: string,
): Promise<WebhookRow> {
  const row = await findWebhook(db, tenantOf(principal), id);
  if (row === undefined) throw new KeywardError('webhook_not_found');
  const resource = { accountId: row.account_id, projectId: row.project_id };
  demand(principal, action, resource, 'webhook_not_found');
  return row;
}

/** Topics whose events can carry a key value, and the scope that allows creating such a key. */
const SCOPE_OF_VALUES: Partial<Record<Topic, Scope>> = {
  'api-key.created': 'keys:write',
  'access-key.created': 'access-keys:write',
};

type Subscription = Pick<WebhookRow, 'account_id' | 'project_id' | 'url' | 'topics' | 'status'>;

/** A caller who decides where key values are sent must be able to create such keys. */
export function demandValueScopes(principal: Principal, hook: Subscription): void {
  const resource = { accountId: hook.account_id, projectId: hook.project_id };
  for (const topic of JSON.parse(hook.topics) as Topic[]) {
    const scope = SCOPE_OF_VALUES[topic];
    if (scope !== undefined) demand(principal, scope, resource, 'project_not_found');
  }
}

/**
 * The previous topics count too: their queued deliveries go to the new URL. Other changes do not send
 * values anywhere new.
 */
export function demandValueScopesOfUpdate(
  principal: Principal,
  before: Subscription,
  after: Subscription,
): void {
  const changesDestination =
    after.url !== before.url ||
    after.topics !== before.topics ||
    after.project_id !== before.project_id ||
    (after.status === 'live' && before.status !== 'live');
  if (!changesDestination) return;
  demandValueScopes(principal, before);
  demandValueScopes(principal, after);
}
