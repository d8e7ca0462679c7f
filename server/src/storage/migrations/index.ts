import { first } from './0001-first.ts';
import { webhooks } from './0002-webhooks.ts';
import { auditSeals } from './0003-audit-seals.ts';
import { usage } from './0004-usage.ts';
import { auditUnsealed } from './0005-audit-unsealed.ts';
import { people } from './0009-people.ts';
import { auditSealBatches } from './0010-audit-seal-batches.ts';
import { auditLookups } from './0011-audit-lookups.ts';
import { webhookSetters } from './0012-webhook-setters.ts';
import { knownBrowsers } from './0013-known-browsers.ts';
import { rotations } from './0014-rotations.ts';
import { keyPolicies } from './0015-key-policies.ts';
import { plansAndCustomers } from './0016-plans-and-customers.ts';
import { portal } from './0017-portal.ts';
import { refusalsAndLeaks } from './0018-refusals-and-leaks.ts';
import { signals } from './0019-signals.ts';
import { eventTraces } from './0020-event-traces.ts';
import { usagePeriodSettings } from './0021-usage-period-settings.ts';
import { auditIndexes } from './0022-audit-indexes.ts';
import { listIndexes } from './0023-list-indexes.ts';
import { tagTables } from './0024-tags.ts';
import { lastUseHours } from './0025-last-use-hours.ts';
import { historyIndexes } from './0027-history-indexes.ts';
import { unitsAndAnchors } from './0029-units-and-anchors.ts';
import { usageParts } from './0032-usage-parts.ts';
import { grants } from './0034-grants.ts';
import type { Migration } from './migration.ts';

/** In the order in which they are applied. */
export const migrations: readonly Migration[] = [
  first,
  webhooks,
  auditSeals,
  usage,
  auditUnsealed,
  people,
  auditSealBatches,
  auditLookups,
  webhookSetters,
  knownBrowsers,
  rotations,
  keyPolicies,
  plansAndCustomers,
  portal,
  refusalsAndLeaks,
  signals,
  eventTraces,
  usagePeriodSettings,
  auditIndexes,
  listIndexes,
  tagTables,
  lastUseHours,
  historyIndexes,
  unitsAndAnchors,
  usageParts,
  grants,
];
