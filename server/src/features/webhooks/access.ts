import type { Kysely } from 'kysely';
import { demand, type Principal, type Scope, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/index.ts';
import type { Topic } from '../changes/index.ts';
import { findWebhook, type WebhookRow } from './store.ts';

/** Among what the caller may see and do; what was deleted is not there. */
export async function visibleWebhook(
  db: Kysely<Database>,
  principal: Principal,
  action: Scope,
  id: string,
): Promise<WebhookRow> {
  const row = await rememberedWebhook(db, principal, action, id);
  if (row.deleted_at !== null) throw new KeywardError('webhook_not_found');
  return row;
}

/** Deleted ones too, for as long as their row is kept. */
export async function rememberedWebhook(
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

/** Topics whose events carry a whole value, and the scope that shows such a value in the API. */
const SCOPE_OF_VALUES: Partial<Record<Topic, Scope>> = {
  'api-key.created': 'keys:write',
  'access-key.created': 'access-keys:write',
};

type Subscription = Pick<WebhookRow, 'account_id' | 'project_id' | 'url' | 'topics' | 'status'>;

/** Whoever says where values go must be one who could come by them without a webhook. */
export function demandValues(principal: Principal, hook: Subscription): void {
  const resource = { accountId: hook.account_id, projectId: hook.project_id };
  for (const topic of JSON.parse(hook.topics) as Topic[]) {
    const scope = SCOPE_OF_VALUES[topic];
    if (scope !== undefined) demand(principal, scope, resource, 'project_not_found');
  }
}

/**
 * The topics before count too: what they have queued goes to the new URL. Names, headers and a
 * pause bring no value anywhere it did not go already.
 */
export function demandValuesOfUpdate(
  principal: Principal,
  before: Subscription,
  after: Subscription,
): void {
  const isSteered =
    after.url !== before.url ||
    after.topics !== before.topics ||
    after.project_id !== before.project_id ||
    (after.status === 'live' && before.status !== 'live');
  if (!isSteered) return;
  demandValues(principal, before);
  demandValues(principal, after);
}
