export { crossingEvents } from './crossings.ts';
export { NoticeMails } from './mails.ts';
export { Signals } from './runner.ts';
export {
  AppendedAuditLog,
  CreditsNotice,
  ExpiringKey,
  ThresholdReached,
  UsagePeriod,
} from './schema.ts';
