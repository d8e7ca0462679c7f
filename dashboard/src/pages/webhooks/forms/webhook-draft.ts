import type { Webhook } from 'keyward';
import { isAccountOnly, type Topic } from '../topics.ts';

export interface HeaderRow {
  /** React key of the row. */
  readonly row: number;
  readonly name: string;
  readonly value: string;
}

/** Values of the form. */
export interface Draft {
  readonly name: string;
  readonly url: string;
  readonly level: 'project' | 'account';
  readonly topics: readonly Topic[];
  readonly httpMethod: Webhook['httpMethod'];
  readonly format: Webhook['format'];
  readonly headers: readonly HeaderRow[];
}

export const emptyDraft: Draft = {
  name: '',
  url: '',
  level: 'project',
  // Only events without key values. The others must be selected deliberately.
  topics: ['api-key.updated', 'api-key.deleted'],
  httpMethod: 'POST',
  format: 'standard',
  headers: [],
};

export const draftOf = (webhook: Webhook): Draft => ({
  name: webhook.name,
  url: webhook.url,
  level: webhook.projectId === null ? 'account' : 'project',
  topics: webhook.topics,
  httpMethod: webhook.httpMethod,
  format: webhook.format,
  headers: Object.entries(webhook.customHeaders).map(([name, value], row) => ({
    row,
    name,
    value,
  })),
});

/** A project-level webhook cannot have topics of the account. */
export const withLevel = ({ topics }: Draft, level: Draft['level']): Partial<Draft> => ({
  level,
  topics: level === 'account' ? topics : topics.filter((topic) => !isAccountOnly(topic)),
});

export type DraftErrors = Partial<Record<'name' | 'url' | 'headers' | 'topics', string>>;

export function errorsIn({ name, url, headers, topics }: Draft): DraftErrors {
  const wrong = wrongHeaders(headers);
  return {
    ...(name.trim() === '' && { name: 'Enter a name.' }),
    ...(!isHttpUrl(url) && { url: 'Enter a full URL, such as https://example.com/hooks' }),
    ...(wrong && { headers: wrong }),
    ...(topics.length === 0 && { topics: 'Select at least one event.' }),
  };
}

/** A row without name and value is ignored. */
function wrongHeaders(headers: readonly HeaderRow[]): string | null {
  const used = headers.filter(({ name, value }) => name.trim() !== '' || value !== '');
  const names = used.map(({ name }) => name.trim().toLowerCase());
  if (names.includes('')) return 'Enter a name for each header.';
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? null : `Enter ${twice} only once.`;
}

const isHttpUrl = (url: string): boolean =>
  /^https?:\/\//i.test(url.trim()) && URL.canParse(url.trim());

/** The endpoint and its headers, for tests and deliveries. */
export const targetOf = ({ url, httpMethod, headers }: Draft) => ({
  url: url.trim(),
  httpMethod,
  customHeaders: Object.fromEntries(
    headers.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
  ),
});

export const bodyOf = (draft: Draft, projectId: string) => ({
  ...targetOf(draft),
  format: draft.format,
  name: draft.name.trim(),
  topics: [...draft.topics],
  projectId: draft.level === 'account' ? null : projectId,
});
