import type { AuditAction } from '@keyward/rules/audit-actions.ts';
import type { AuditLog } from 'keyward';
import { aNoun, usualActions, usualResources, withUsual } from '../../text/usual.ts';

/** Predicates that follow the name of the actor; `…` is replaced by the name of the target. */
const ACTION_PHRASES: Record<AuditAction, string> = {
  ...usualActions((noun, verb) => `${verb} the ${noun} …`),
  'api-key.created': 'created the key …',
  'api-key.updated': 'updated the key …',
  'api-key.deleted': 'revoked the key …',
  'api-key.reactivated': 'reactivated the key …',
  'api-key.erased': 'permanently deleted the key …',
  'api-key.leaked': 'reported that the key … leaked',
  'api-key.imported': 'imported keys into …',
  'access-key.deleted': 'revoked the access key …',
  'access-key.reactivated': 'reactivated the access key …',
  'access-key.leaked': 'reported that the access key … leaked',
  'credits.changed': 'changed the credits of …',
  'portal-session.created': 'opened the portal for …',
  'portal-session.deleted': 'ended a portal session of …',
  'project.deleted': 'deactivated the project …',
  'project.reactivated': 'reactivated the project …',
  'account.created': 'created the account …',
  'account.updated': 'updated the account …',
  'account.owner-link-made': 'created an owner link for …',
  'webhook.disabled': 'disabled the webhook … because its endpoint failed',
  'webhook.secret-rotated': 'rotated the secret of the webhook …',
  'webhook.delivery-retried': 'resent a delivery of the webhook …',
  'webhook.replayed': 'replayed events to the webhook …',
  'invitation.created': 'invited …',
  'invitation.updated': 'updated the invitation for …',
  'invitation.deleted': 'cancelled the invitation for …',
  'invitation.resent': 'resent the invitation for …',
  'invitation.accepted': 'accepted the invitation for …',
  'user.joined': 'joined the account',
  'user.left': 'left the account',
  'user.removed': 'removed … from the account',
  'user.role-updated': 'changed the role of …',
  'user.renamed': 'changed their name',
  'user.signed-in': 'signed in',
  'user.session-ended': 'ended a session',
  'user.other-sessions-ended': 'ended all their other sessions',
  'user.password-changed': 'changed their password',
  'user.password-reset': 'reset their password',
  'user.password-link-made': 'created a password reset link for …',
  'user.passkey-added': 'added a passkey',
  'user.passkey-removed': 'removed a passkey',
  'user.passkey-renamed': 'renamed a passkey',
  'user.provider-linked': 'linked a sign-in provider',
  'user.provider-unlinked': 'unlinked a sign-in provider',
  'user.recovery-codes-renewed': 'renewed their recovery codes',
  'user.two-factor-enabled': 'turned on two-factor authentication',
  'user.two-factor-disabled': 'turned off two-factor authentication',
  'user.two-factor-dropped': 'turned off two-factor authentication for …',
};

export interface Sentence {
  /** Text before and after the name of the target. */
  readonly before: string;
  readonly target: string | null;
  readonly after: string;
}

/** For example `created the key`, `Acme`, ``. An unknown action is shown by its id. */
export function sentenceOf(entry: AuditLog, nameOf: (id: string) => string | null): Sentence {
  const phrase = ACTION_PHRASES[entry.action as AuditAction] ?? `performed “${entry.action}” on …`;
  const [before = '', after] = phrase.split('…');
  if (after === undefined) return { before, target: null, after: '' };
  const target = targetName(entry, nameOf);
  if (target !== null) return { before: before.trimEnd(), target, after };
  // Without a name, `updated the key …` reads `updated a key`.
  const [noun, unnamed] = UNNAMED[entry.targetType] ?? ['', 'an item'];
  const verb = before.trimEnd().replace(new RegExp(` the ${noun}$`), '');
  return { before: `${verb} ${unnamed}`, target: null, after };
}

function targetName(entry: AuditLog, nameOf: (id: string) => string | null): string | null {
  const of = (field: string) => entry.after?.[field] ?? entry.before?.[field];
  // The target of an import is the import itself, which has no name.
  const id = entry.action === 'api-key.imported' ? entry.projectId : entry.targetId;
  const name = of('name') ?? of('customAccountId') ?? of('email') ?? nameOf(id ?? '');
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Noun and text for a target whose name is unknown. The details of the entry show its id. */
const UNNAMED: Record<string, readonly [noun: string, unnamed: string]> = {
  ...usualResources((noun) => [noun, aNoun(noun)] as const),
  'api-key': ['key', 'a key'],
  webhook: ['webhook', 'a deleted webhook'],
  'portal-session': ['portal', 'a customer'],
  account: ['account', 'the account'],
  user: ['person', 'a former teammate'],
  invitation: ['person', 'someone'],
};

const UNKNOWN_ACTORS: Record<string, string> = {
  user: 'A former teammate',
  'access-key': 'A deleted access key',
};

const OTHER_ACTORS: Record<string, string> = {
  system: 'Keyward',
  operator: 'Command line',
};

export const actorName = (
  { actorType, actorId }: AuditLog,
  nameOf: (id: string) => string | null,
): string =>
  // A customer is shown by its `customAccountId`, even if something else has the same id.
  actorType === 'portal'
    ? `Customer ${actorId}`
    : (OTHER_ACTORS[actorType] ?? nameOf(actorId) ?? UNKNOWN_ACTORS[actorType] ?? actorId);

type KindOf<Action> = Action extends `${infer Kind}.${string}` ? Kind : never;

const KINDS: Record<KindOf<AuditAction>, string> = withUsual(
  {
    'api-key': 'Keys',
    'access-key': 'Access keys',
    webhook: 'Webhooks',
    plan: 'Plans',
    customer: 'Customers',
    credits: 'Credits',
    'portal-session': 'Portal sessions',
    project: 'Projects',
    invitation: 'Invitations',
    user: 'Users',
    account: 'Account',
  },
  usualResources((noun) => `${noun[0]!.toUpperCase()}${noun.slice(1)}s`),
);

/** Options of the filter: all actions of a kind, then each action. */
export const ACTION_OPTIONS = Object.entries(KINDS).flatMap(([kind, label]) => [
  { value: `${kind}.`, label: `${label}: all` },
  ...Object.keys(ACTION_PHRASES)
    .filter((action) => action.startsWith(`${kind}.`))
    .map((action) => ({ value: action, label: action })),
]);
