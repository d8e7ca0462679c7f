import { demand, type Principal, type Scope } from '../../kernel/authority.ts';
import type { Topic } from '../changes/index.ts';
import type { WebhookRow } from './store.ts';

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
