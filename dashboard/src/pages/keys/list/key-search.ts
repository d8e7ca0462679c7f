import { EXPIRING_MS } from '@keyward/rules/key-state.ts';
import type { KeyQuery } from '../../../api/api-keys.ts';
import { withoutSecret } from '../../../text/without-secret.ts';

/** The API has no filter for keys that have not started; they are listed as active or expiring. */
const STATES = ['active', 'expiring', 'expired', 'revoked'] as const;
const SORTS = ['createdAt', 'name', 'expiresAt', 'lastUsedAt'] as const;

/** Query parameters of the list. */
export interface KeySearch {
  readonly search?: string;
  readonly state?: (typeof STATES)[number];
  readonly account?: string;
  readonly user?: string;
  readonly limited?: boolean;
  readonly tag?: string;
  /** A plan that is set on the key itself. */
  readonly plan?: string;
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
  const tag = text(raw.tag);
  const plan = text(raw.plan);
  const state = STATES.find((one) => one === raw.state);
  const sort = SORTS.find((one) => one === raw.sort);
  return {
    ...(search && { search }),
    ...(state && { state }),
    ...(account && { account }),
    ...(user && { user }),
    ...(tag && { tag }),
    ...(plan && { plan }),
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
  const { state, account, user, limited, tag, plan, order } = search;
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
    ...(tag && { tag: [tag] }),
    ...(plan && { planId: plan }),
    ...(sort && { sort }),
    ...(order && { order }),
  };
}

const FILTERS = ['search', 'state', 'account', 'user', 'limited', 'tag', 'plan'] as const;

export const isFiltered = (search: KeySearch): boolean =>
  FILTERS.some((name) => search[name] !== undefined);

/** Removes all filters. */
export const NO_FILTERS: { [Name in (typeof FILTERS)[number]]: undefined } = {
  search: undefined,
  state: undefined,
  account: undefined,
  user: undefined,
  limited: undefined,
  tag: undefined,
  plan: undefined,
};
