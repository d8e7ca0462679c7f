'use client';

export type {
  NewPortalKey,
  PortalApiKey,
  PortalLimits,
  PortalSession,
  PortalUsageRow,
} from './client/records.ts';
export { ApiKeys } from './keys/api-keys.tsx';
export { KeywardPortal, type KeywardPortalProps } from './portal.tsx';
export {
  type ApiKeys as UseApiKeys,
  type Reloadable,
  useApiKeys,
  useLimits,
  usePortalSession,
  useUsage,
} from './state/hooks.ts';
export type { Locale } from './text/locale.ts';
export { Limits } from './usage/limits.tsx';
export type { UsageRange } from './usage/ranges.ts';
export { Usage } from './usage/usage.tsx';
