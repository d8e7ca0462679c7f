import { hash } from 'node:crypto';
import type { WebhookRow } from './store.ts';

/** The settings that decide what is sent, and where to. */
type Settings = Pick<
  WebhookRow,
  'url' | 'http_method' | 'custom_headers' | 'topics' | 'project_id'
>;

/** The author of each setting: the id of the person or access key that last changed it; null: unknown. */
export interface SetBy {
  readonly url: string | null;
  readonly httpMethod: string | null;
  readonly customHeaders: string | null;
  readonly topics: string | null;
  readonly projectId: string | null;
}

export const allSetBy = (id: string | null): SetBy => ({
  url: id,
  httpMethod: id,
  customHeaders: id,
  topics: id,
  projectId: id,
});

/** `creator`: see `creatorOf`. */
export const setByText = (setBy: SetBy, settings: Settings, creator: string | null): string =>
  JSON.stringify({ setBy, fingerprint: fingerprintOf(settings), creator });

/**
 * Who created the webhook, or took it over with at least the same rights; null: unknown. Versions that did not
 * store it leave the authors: one who set everything is the creator.
 */
export function creatorOf(row: Settings & Pick<WebhookRow, 'set_by'>): string | null {
  const stored: { creator?: string | null } = JSON.parse(row.set_by ?? '{}');
  if (stored.creator !== undefined) return stored.creator;
  const [author, ...others] = authorsIn(setByOf(row));
  return others.length === 0 ? author! : null;
}

/** All authors are unknown if the fingerprint differs: then an older version of Keyward changed the settings. */
export function setByOf(row: Settings & Pick<WebhookRow, 'set_by'>): SetBy {
  if (row.set_by === null) return allSetBy(null);
  const stored: { setBy: SetBy; fingerprint: string } = JSON.parse(row.set_by);
  return stored.fingerprint === fingerprintOf(row) ? stored.setBy : allSetBy(null);
}

/** The authors after a change by this principal. */
export function setByAfter(before: WebhookRow, after: Settings, principalId: string): SetBy {
  const setBy = setByOf(before);
  return {
    url: after.url === before.url ? setBy.url : principalId,
    httpMethod: after.http_method === before.http_method ? setBy.httpMethod : principalId,
    customHeaders:
      after.custom_headers === before.custom_headers ? setBy.customHeaders : principalId,
    topics: after.topics === before.topics ? setBy.topics : principalId,
    projectId: after.project_id === before.project_id ? setBy.projectId : principalId,
  };
}

export const isAuthor = (row: WebhookRow, principalId: string): boolean =>
  authorsIn(setByOf(row)).includes(principalId);

export const isOnlyAuthor = (row: WebhookRow, principalId: string): boolean =>
  authorsIn(setByOf(row)).every((id) => id === principalId);

export const authorsIn = (setBy: SetBy): (string | null)[] => [...new Set(Object.values(setBy))];

const fingerprintOf = ({ url, http_method, custom_headers, topics, project_id }: Settings) =>
  hash(
    'sha256',
    JSON.stringify([url, http_method, custom_headers, topics, project_id]),
    'base64url',
  );
