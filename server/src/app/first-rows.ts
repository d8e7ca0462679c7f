import { accessKeyColumns, accessKeyRecord } from '../features/access-keys/index.ts';
import { accountRecord } from '../features/accounts/index.ts';
import { auditRow, SYSTEM } from '../features/changes/index.ts';
import { issue } from '../features/issued-keys/index.ts';
import {
  createdBy,
  NO_BRANDING,
  projectColumns,
  projectRecord,
} from '../features/projects/index.ts';
import type { Actor } from '../kernel/actor.ts';
import type { MakeId } from '../kernel/ids.ts';
import type { Secrets } from '../kernel/secrets/crypto.ts';

const SETUP: Actor = {
  principal: { kind: 'operator', id: 'operator' },
  requestId: 'setup',
  clientAddress: null,
  userAgent: null,
};

/** The rows that the first boot inserts, including their audit entries. */
export function firstRows(secrets: Secrets, ids: MakeId, now: number, accessKey: string) {
  const made = { ...createdBy(SETUP, now), created_in: 'setup', is_active: 1 as const };
  const account = { id: ids('acc'), name: 'Default account', ...made };
  const project = {
    id: ids('prj'),
    account_id: account.id,
    ...projectColumns.toInsert({ name: 'Default project' }),
    ...NO_BRANDING,
    notices: null,
    usage_events: null,
    ...made,
  };
  const firstKey = {
    ...issue(secrets, { id: ids('ak'), value: accessKey, expiresAt: null }, now),
    account_id: account.id,
    project_id: null,
    ...accessKeyColumns.toInsert({ name: 'First access key' }),
    rate_limit: null,
    rate_limit_ttl: null,
    last_used_at: null,
  };
  const created = (
    targetType: 'account' | 'project' | 'access-key',
    projectId: string | null,
    after: { id: string },
  ) => {
    const action = `${targetType}.created` as const;
    const entry = { accountId: account.id, projectId, targetType, targetId: after.id, after };
    return auditRow({ action, ...entry }, SYSTEM, ids('aud'), now);
  };
  const audit = [
    created('account', null, accountRecord(account)),
    created('project', project.id, projectRecord(project)),
    created('access-key', null, accessKeyRecord({ ...firstKey, seq: 0 })),
  ];
  return { account, project, firstKey, audit };
}
