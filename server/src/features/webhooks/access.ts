import { ACCOUNT_TOPICS, type ValueTopic } from '@keyward/rules/topics.ts';
import type { Kysely } from 'kysely';
import { type Principal, requireScope, type Scope, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/index.ts';
import { SCOPE_OF_TOPIC, type Topic } from '../changes/index.ts';
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

/** Like `visibleWebhook`, but also finds deleted webhooks while their row is kept. */
export async function webhookOrDeleted(
  db: Kysely<Database>,
  principal: Principal,
  action: Scope,
  id: string,
): Promise<WebhookRow> {
  const row = await findWebhook(db, tenantOf(principal), id);
  if (row === undefined) throw new KeywardError('webhook_not_found');
  const resource = { accountId: row.account_id, projectId: row.project_id };
  requireScope(principal, action, resource, 'webhook_not_found');
  return row;
}

/** Events that can carry a key value need the scope to create such a key. */
const CREATION_SCOPES: Record<ValueTopic, Scope> = {
  'api-key.created': 'keys:write',
  'access-key.created': 'access-keys:write',
};
const NEEDED_SCOPES: Partial<Record<Topic, Scope>> = { ...SCOPE_OF_TOPIC, ...CREATION_SCOPES };
const ofAccountOnly: readonly Topic[] = ACCOUNT_TOPICS;

type Subscription = Pick<WebhookRow, 'account_id' | 'project_id' | 'url' | 'topics' | 'status'>;

/** A caller who decides where events are sent must be allowed to see what they contain. */
export function requireTopicScopes(principal: Principal, hook: Subscription): void {
  const resource = { accountId: hook.account_id, projectId: hook.project_id };
  for (const topic of JSON.parse(hook.topics) as Topic[]) {
    const scope = NEEDED_SCOPES[topic];
    if (ofAccountOnly.includes(topic) && hook.project_id !== null)
      throw new KeywardError(
        'invalid_body',
        `topics: ${topic} is sent only to webhooks of the whole account. Set projectId to null.`,
      );
    if (scope !== undefined) requireScope(principal, scope, resource, 'project_not_found');
  }
}

/**
 * Checks only updates that redirect or resume a webhook: other updates do not send values anywhere new. The
 * previous topics count too, because removing a topic cancels its waiting deliveries.
 */
export function requireTopicScopesOfUpdate(
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
  requireTopicScopes(principal, before);
  requireTopicScopes(principal, after);
}
