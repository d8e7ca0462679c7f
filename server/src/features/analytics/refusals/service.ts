import { type Principal, tenantOf } from '../../../kernel/authority.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { isIdOf } from '../../../kernel/ids.ts';
import { listingIn, type Positions } from '../../../kernel/paging.ts';
import type { Listing } from '../../../kernel/route.ts';
import { isoTime } from '../../../kernel/time/clock.ts';
import { readQueryTime } from '../../../kernel/time/read-time.ts';
import {
  type LookupParts,
  requireKey,
  requireReadableProject,
  textFilter,
} from '../queries/lookups.ts';
import type { ListRefusals, Refusal } from './schema.ts';
import {
  countOmitted,
  listRefusalRows,
  type RefusalFilter,
  type RefusalPosition,
  type RefusalRow,
} from './store.ts';

/** Header with the number of refusals in the time range that are not in the list. */
export const OMITTED_HEADER = 'keyward-omitted';

const refusalRecord = (row: RefusalRow): Refusal => ({
  id: row.id,
  time: isoTime(row.time),
  projectId: row.project_id,
  keyId: row.key_id,
  code: row.code as Refusal['code'],
  accessKeyId: row.access_key_id,
  clientIP: row.client_ip,
  origin: row.origin,
  missing: row.missing === null ? null : JSON.parse(row.missing),
  limit: row.limit_name,
  cost: row.cost,
});

const POSITIONS: Positions<RefusalRow, RefusalPosition> = {
  of: ({ time, id }) => ({ time, id }),
  write: ({ time, id }) => `${time} ${id}`,
  read(text) {
    const [time = '', id = ''] = text.split(' ', 2);
    return /^\d{1,15}$/.test(time) && isIdOf('rfs', id) ? { time: Number(time), id } : null;
  },
};

/** Lists refused validations. */
export class RefusalService {
  readonly #parts: LookupParts;

  constructor(parts: LookupParts) {
    this.#parts = parts;
  }

  async list(principal: Principal, query: ListRefusals): Promise<Listing<Refusal>> {
    const { storage } = this.#parts;
    const filter = await this.#filter(principal, query);
    const omitted = await countOmitted(storage, filter);
    const listing = await listingIn(
      POSITIONS,
      query,
      (range) => listRefusalRows(storage, filter, range),
      refusalRecord,
    );
    return { ...listing, headers: [OMITTED_HEADER, String(omitted)] };
  }

  /** Projects and keys of other tenants are reported as not found. */
  async #filter(principal: Principal, query: ListRefusals): Promise<RefusalFilter> {
    const { accountId, projectIds, customAccountId: own } = tenantOf(principal);
    const { projectId, key, code } = query;
    if (projectId !== undefined) await requireReadableProject(this.#parts, principal, projectId);
    const within = { accountId, projectIds: projectId === undefined ? projectIds : [projectId] };
    const found = key === undefined ? null : await requireKey(this.#parts, within, key);
    const from = readQueryTime('from', query.from);
    const to = readQueryTime('to', query.to);
    if (from !== null && to !== null && from > to)
      throw new KeywardError('invalid_query', 'from must not be after to.');
    const customAccountId = own ?? textFilter(query.customAccountId);
    return { ...within, keySeq: found?.seq ?? null, customAccountId, code, from, to };
  }
}
