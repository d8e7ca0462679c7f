import type { Resource } from './areas.ts';

/** Every action in the audit log, `<resource>.<verb>`. The dashboard has a sentence for each. */
export type AuditAction =
  | `${Resource}.${'created' | 'updated' | 'deleted'}`
  | 'api-key.reactivated'
  | 'api-key.erased'
  | 'api-key.leaked'
  | 'api-key.imported'
  | 'access-key.reactivated'
  | 'access-key.leaked'
  | 'credits.changed'
  | 'portal-session.created'
  | 'portal-session.deleted'
  | 'project.reactivated'
  | 'account.created'
  | 'account.updated'
  | 'account.owner-link-made'
  | 'webhook.disabled'
  | 'webhook.secret-rotated'
  | 'webhook.delivery-retried'
  | 'webhook.replayed'
  | 'invitation.resent'
  | 'invitation.accepted'
  | 'user.joined'
  | 'user.left'
  | 'user.removed'
  | 'user.role-updated'
  | 'user.renamed'
  | 'user.signed-in'
  | 'user.session-ended'
  | 'user.other-sessions-ended'
  | 'user.password-changed'
  | 'user.password-reset'
  | 'user.password-link-made'
  | 'user.passkey-added'
  | 'user.passkey-removed'
  | 'user.passkey-renamed'
  | 'user.provider-linked'
  | 'user.provider-unlinked'
  | 'user.recovery-codes-renewed'
  | 'user.two-factor-enabled'
  | 'user.two-factor-disabled'
  | 'user.two-factor-dropped';

type TargetOf<Action> = Action extends `${infer Target}.${string}` ? Target : never;

/** What an action was done to. Credits belong to a key or a customer. */
export type AuditTarget = Exclude<TargetOf<AuditAction>, 'credits'>;
