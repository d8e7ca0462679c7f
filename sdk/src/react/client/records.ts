import type { OwnPortalSession, UsageRow } from '../../generated/api-types.ts';
import type { QueryOf } from '../../http/operation.ts';

export type {
  CreatePortalApiKey as NewPortalKey,
  PortalApiKey,
  PortalLimit,
  PortalLimits,
} from '../../generated/api-types.ts';

/** The session as its customer sees it. */
export type PortalSession = OwnPortalSession;
export type PortalUsageQuery = Pick<
  QueryOf<'portalGetUsage'>,
  'interval' | 'from' | 'timezone' | 'key'
>;
export type PortalUsageRow = Pick<UsageRow, 'date' | 'total' | 'valid'>;
