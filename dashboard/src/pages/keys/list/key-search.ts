import { EXPIRING_MS } from '@keyward/rules/key-state.ts';
import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import type { KeyQuery } from '../../../api/api-keys.ts';
import {
  type FilterSearch,
  fieldFilters,
  filterQuery,
  noFilters,
  parseFilters,
} from '../../../fields/filter-search.ts';
import { withoutSecret } from '../../../text/without-secret.ts';

/** The API has no filter for keys that have not started; they are listed as active or expiring. */
const STATES = ['active', 'expiring', 'expired', 'revoked'] as const;
const SORTS = ['createdAt', 'name', 'expiresAt', 'lastUsedAt'] as const;

/** The search finds names, and one filter customers and their users. */
export const KEY_FILTERS = fieldFilters(API_KEY, ['name', 'customAccountId', 'customUserId']);

/** Query parameters of the list. */
export interface KeySearch extends FilterSearch<typeof KEY_FILTERS> {
  readonly search?: string;
  readonly state?: (typeof STATES)[number];
  readonly account?: string;
  readonly user?: string;
  readonly limited?: boolean;
  readonly sort?: (typeof SORTS)[number];
  readonly order?: 'ascending' | 'descending';
  /** The dialog that creates a key is open. */
  readonly create?: true;
}

/** Anyone can write a URL: invalid values are ignored. */
export function parseKeySearch(raw: Record<string, unknown>): KeySearch {
  const search = withoutSecret(text(raw.search) ?? '');
  const account = text(raw.account);
  const user = text(raw.user);
  const state = STATES.find((one) => one === raw.state);
  const sort = SORTS.find((one) => one === raw.sort);
  return {
    ...(search && { search }),
    ...(state && { state }),
    ...(account && { account }),
    ...(user && { user }),
    ...parseFilters(KEY_FILTERS, raw),
    ...(typeof raw.limited === 'boolean' && { limited: raw.limited }),
    ...(sort && { sort }),
    ...((raw.order === 'ascending' || raw.order === 'descending') && { order: raw.order }),
    ...(raw.create === true && { create: true }),
  };
}

/** The router parses values as JSON if possible, so the customer id `12` arrives as a number. */
const text = (value: unknown): string | undefined =>
  value === undefined || typeof value === 'object' ? undefined : String(value).slice(0, 256);

/** Query for the API. `now` changes only with the filter, so that the cache key stays the same. */
export function queryOf(search: KeySearch, projectId: string, now: number): KeyQuery {
  const { state, account, user, limited, order } = search;
  const time = (ms: number) => new Date(ms).toISOString();
  const works = { isActive: true, expiresAfter: time(now) };
  const states = {
    active: works,
    expiring: { ...works, expiresBefore: time(now + EXPIRING_MS) },
    expired: { isActive: true, expiresBefore: time(now) },
    revoked: { isActive: false },
  };
  const sort = search.sort ?? (state === 'expiring' ? 'expiresAt' : undefined);
  const searched = search.search?.trim();
  return {
    projectId,
    ...(searched && { search: searched }),
    ...(state && states[state]),
    ...(account && { customAccountId: account }),
    ...(user && { customUserId: user }),
    ...(limited !== undefined && { limited }),
    ...filterQuery(KEY_FILTERS, search),
    ...(sort && { sort }),
    ...(order && { order }),
  };
}

/** Removes all filters. */
export const NO_FILTERS = {
  search: undefined,
  state: undefined,
  account: undefined,
  user: undefined,
  limited: undefined,
  ...noFilters(KEY_FILTERS),
} satisfies { [Name in keyof KeySearch]?: undefined };

export const isFiltered = (search: KeySearch): boolean =>
  Object.keys(NO_FILTERS).some((name) => search[name as keyof KeySearch] !== undefined);
