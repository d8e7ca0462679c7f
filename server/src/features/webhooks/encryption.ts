import type { Selectable } from 'kysely';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { WebhooksTable } from '../../storage/schema/webhooks.ts';

/** Binds an encrypted text to its webhook and column. */
const contextOf = (webhookId: string, column: 'secret' | 'headers'): string =>
  `webhook:${webhookId}:${column}`;

export const encryptSecret = (secrets: Secrets, webhookId: string, secret: string): string =>
  secrets.encrypt(secret, contextOf(webhookId, 'secret'));

export const encryptHeaders = (
  secrets: Secrets,
  webhookId: string,
  headers: Readonly<Record<string, string>>,
): string => secrets.encrypt(JSON.stringify(headers), contextOf(webhookId, 'headers'));

export const decryptHeaders = (
  secrets: Secrets,
  row: Pick<Selectable<WebhooksTable>, 'id' | 'custom_headers'>,
): Record<string, string> =>
  JSON.parse(secrets.decrypt(row.custom_headers, contextOf(row.id, 'headers')));

/** The secrets to sign with: the current one, and the previous one until it expires. */
export function signingSecrets(
  secrets: Secrets,
  row: Pick<
    Selectable<WebhooksTable>,
    'id' | 'secret' | 'previous_secret' | 'previous_secret_until'
  >,
  now: number,
): string[] {
  const context = contextOf(row.id, 'secret');
  const signing = [secrets.decrypt(row.secret, context)];
  if (row.previous_secret !== null && now < (row.previous_secret_until ?? 0))
    signing.push(secrets.decrypt(row.previous_secret, context));
  return signing;
}

/** Binds an encrypted payload to its event. */
export const eventContext = (eventId: string): string => `event:${eventId}`;
