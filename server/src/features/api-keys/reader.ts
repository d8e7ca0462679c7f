import {
  type Principal,
  requireScope,
  type Scope,
  type Tenant,
  tenantOf,
} from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { isIdOf } from '../../kernel/ids.ts';
import { listing, listingIn, type RowRange } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { shapeOf } from '../../kernel/secrets/key-values.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { Storage } from '../../storage/index.ts';
import { type CreditService, type Credits, creditPool } from '../credits/index.ts';
import { describeLevels } from '../policies/index.ts';
import { creditPoolOf, poolOwnerOf } from './credits.ts';
import { filterOf } from './list-filters.ts';
import { type KeyPosition, orderOf, positionsIn } from './list-order.ts';
import { countKeys, listKeys, listKeysWithLevels } from './list-store.ts';
import { apiKey } from './record.ts';
import {
  type ApiKey,
  type ApiKeyCount,
  type ApiKeyWithLevels,
  COUNT_MAX,
  type CountApiKeys,
  type ListApiKeys,
} from './schema.ts';
import {
  findKey,
  findKeyWithLevels,
  type KeyReference,
  type KeyRow,
  type KeyWithLevels,
} from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly credits: CreditService;
  readonly clock: Clock;
}

/** Reads API keys that a caller may see. */
export class KeyReader {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async get(principal: Principal, key: string): Promise<ApiKey> {
    const row = await this.find(principal, 'keys:read', key);
    return apiKey({ ...row, credits: await this.#credits(row) });
  }

  /** `sha256`: of the value, in hexadecimal digits. */
  async getByHash(principal: Principal, sha256: string): Promise<ApiKey> {
    const hash = this.#parts.secrets.hashDigest(Buffer.from(sha256, 'hex'));
    const row = await this.#read(findKey, principal, 'keys:read', { hash });
    return apiKey({ ...row, credits: await this.#credits(row) });
  }

  async getEffective(principal: Principal, key: string): Promise<ApiKeyWithLevels> {
    const row = await this.findWithLevels(principal, key);
    const pool = creditPoolOf(row);
    const paying = pool && (await this.#parts.credits.read(pool));
    const effective = { ...describeLevels(row), credits: paying };
    return { ...apiKey({ ...row, credits: await this.#credits(row) }), effective };
  }

  list(principal: Principal, filter: ListApiKeys): Promise<Listing<ApiKey>> {
    const tenant = tenantOf(principal);
    const order = orderOf(filter);
    const wanted = filterOf(filter, this.#parts.clock());
    const { storage, credits } = this.#parts;
    return listingIn<KeyRow, ApiKey, KeyPosition>(
      positionsIn(order),
      filter,
      (range) => listKeys(storage, tenant, { filter: wanted, order, range }),
      (row) => apiKey({ ...row, credits: credits.inList(poolOwnerOf(row), row) }),
    );
  }

  /** Keys with their customers and plans, newest first. `view` makes the items of the list. */
  listWithLevels<T extends { id: string }>(
    principal: Principal,
    { isActive, ...page }: Pick<ListApiKeys, 'isActive' | 'limit' | 'cursor' | 'offset'>,
    view: (rows: readonly KeyWithLevels[]) => Promise<readonly T[]>,
  ): Promise<Listing<T>> {
    const tenant = tenantOf(principal);
    const filter = filterOf(isActive === undefined ? {} : { isActive }, this.#parts.clock());
    const order = orderOf({});
    const fetch = async (range: RowRange<string>) => {
      const after = range.after === null ? null : { value: null, id: range.after };
      const selection = { filter, order, range: { ...range, after } };
      const { rows, upTo } = await listKeysWithLevels(this.#parts.storage, tenant, selection);
      return { rows: await view(rows), upTo: upTo === null ? null : upTo.id };
    };
    return listing(page, 'key', fetch, (item) => item);
  }

  async count(principal: Principal, filter: CountApiKeys): Promise<ApiKeyCount> {
    const tenant = tenantOf(principal);
    const { storage, clock } = this.#parts;
    return countKeys(storage, tenant, filterOf(filter, clock()), COUNT_MAX);
  }

  /** By value or by id, among the keys that the caller may see. */
  find(principal: Principal, action: Scope, key: string): Promise<KeyRow> {
    return this.#find(findKey, principal, action, key);
  }

  /** A key with its customer and its plan. */
  findWithLevels(principal: Principal, key: string): Promise<KeyWithLevels> {
    return this.#find(findKeyWithLevels, principal, 'keys:read', key);
  }

  async #find<Row extends KeyRow>(
    read: (db: Storage['point'], tenant: Tenant, key: KeyReference) => Promise<Row | undefined>,
    principal: Principal,
    action: Scope,
    key: string,
  ): Promise<Row> {
    const reference = this.#reference(key);
    if (reference === null) throw new KeywardError('key_not_found');
    return this.#read(read, principal, action, reference);
  }

  async #read<Row extends KeyRow>(
    read: (db: Storage['point'], tenant: Tenant, key: KeyReference) => Promise<Row | undefined>,
    principal: Principal,
    action: Scope,
    reference: KeyReference,
  ): Promise<Row> {
    const row = await read(this.#parts.storage.point, tenantOf(principal), reference);
    if (!row) throw new KeywardError('key_not_found');
    requireScope(
      principal,
      action,
      { accountId: row.account_id, projectId: row.project_id },
      'key_not_found',
    );
    return row;
  }

  async #credits(row: KeyRow): Promise<Credits | null> {
    if (row.credits_balance === null) return null;
    return this.#parts.credits.read(creditPool(poolOwnerOf(row)));
  }

  #reference(key: string): KeyReference | null {
    if (isIdOf('key', key)) return { id: key };
    return shapeOf(key) === 'malformed' ? null : { hash: this.#parts.secrets.hashValue(key) };
  }
}
