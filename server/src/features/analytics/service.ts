import { ownProject, type Principal, tenantOf } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { PageRequest } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { isTimeZone } from '../../kernel/time/time-zones.ts';
import type { Storage } from '../../storage/index.ts';
import { minutesKeptFrom, type Retention } from './buckets/retention.ts';
import { isKeyOutcome } from './outcomes.ts';
import { type CountsFilter, picksKeys } from './queries/counts-filter.ts';
import { exportSource } from './queries/export.ts';
import { keySource } from './queries/key-totals.ts';
import { requireKey, requireReadableProject, textFilter } from './queries/lookups.ts';
import { type MinuteRow, readMinutes } from './queries/minutes.ts';
import { usesUnits } from './queries/parts.ts';
import { projectSource } from './queries/project-totals.ts';
import { type Range, totalsRange, usageRange } from './queries/range.ts';
import { listSeries, type SeriesQuery, type SeriesSource } from './queries/series.ts';
import { groupSource } from './queries/usage-groups.ts';
import {
  type CustomerUsageQuery,
  type ExportQuery,
  type TotalsQuery,
  UNITS_COLUMN,
  type UsageQuery,
} from './schema.ts';
import { DAY_MS, floorTo, HOUR_MS, MINUTE_MS, QUARTER_HOUR_MS } from './usage-kinds.ts';

type Filters = Pick<
  UsageQuery,
  'projectId' | 'key' | 'customAccountId' | 'customUserId' | 'planId'
>;

interface MinutesFilters {
  readonly projectId: string;
  readonly planId?: string | undefined;
  readonly customAccountId?: string | undefined;
  readonly key?: string | undefined;
}

interface AnalyticsParts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly retention: Retention;
  /** Folds the journal, so that the counts of keys can be read. */
  readonly foldJournal: () => Promise<void>;
}

/** Recorded minutes in [from, to), by time. */
interface RecordedMinutes {
  readonly from: number;
  readonly to: number;
  readonly pages: AsyncIterable<readonly MinuteRow[]>;
}

/** Handles the analytics queries of the API. */
export class AnalyticsService {
  readonly #parts: AnalyticsParts;

  constructor(parts: AnalyticsParts) {
    this.#parts = parts;
  }

  async keyTotals(principal: Principal, query: TotalsQuery): Promise<Listing<object>> {
    const filter = await this.#filter(principal, query);
    const range = this.#totalsRange(query);
    const source = keySource(
      this.#parts.storage.read,
      filter,
      range,
      query.sort ?? 'newest',
      seriesPerPage(range),
    );
    return this.#list(source, filter, range, query, filter.keySeq !== null);
  }

  async projectTotals(principal: Principal, query: TotalsQuery): Promise<Listing<object>> {
    const filter = await this.#filter(principal, query);
    const range = this.#totalsRange(query);
    const source = projectSource(
      this.#parts.storage.read,
      filter,
      range,
      query.sort ?? 'newest',
      seriesPerPage(range),
    );
    return this.#list(source, filter, range, query, filter.projectId !== null);
  }

  async usage(principal: Principal, query: UsageQuery): Promise<Listing<object>> {
    return this.#usage(await this.#filter(principal, query), query);
  }

  /** Rows of all periods that were used, in an order that never changes. */
  async exportUsage(principal: Principal, query: ExportQuery): Promise<Listing<object>> {
    const { groupBy, resource, format, ...filters } = query;
    const filter = await this.#filter(principal, filters);
    if (filter.projectId === null && groupBy !== 'project')
      throw new KeywardError('project_required');
    const days = usageRange(query, query.interval ?? 'day', 'UTC', this.#rangeContext());
    const range = ofResource(days, groupBy === 'resource' ? (resource ?? null) : resource);
    const parts = { filter, range, pageSize: seriesPerPage(range) };
    const source = exportSource(this.#parts.storage.read, groupBy, parts);
    const options = { seriesMax: EXPORTED_SERIES_MAX, withCursors: true };
    const { moreColumns: _, ...list } = await this.#list(
      ...([source, filter, range, query, false, options] as const),
    );
    return format === undefined ? list : { ...list, mediaType: MEDIA_TYPES[format] };
  }

  /** Usage of the keys of a customer, which the caller has checked to belong to the principal. */
  async customerUsage(
    principal: Principal,
    { projectId, customAccountId }: { projectId: string; customAccountId: string },
    query: CustomerUsageQuery,
  ): Promise<Listing<object>> {
    const filter = await this.#filter(principal, { ...query, projectId });
    // Set here, because the text `null` of the filter means keys without a customer.
    return this.#usage({ ...filter, customAccountId }, query);
  }

  /**
   * The complete minutes of the last `hours`, as far back as minutes are kept. Counts all keys of a
   * project, or only the keys that have a plan today, the keys of a customer, or one key.
   */
  async minutes(
    principal: Principal,
    { customAccountId, ...filters }: MinutesFilters,
    hours: number,
  ): Promise<RecordedMinutes> {
    const found = await this.#filter(principal, filters);
    // Set here for the same reason as in `customerUsage`.
    const filter = customAccountId === undefined ? found : { ...found, customAccountId };
    const { retention, now } = this.#rangeContext();
    const to = floorTo(now, MINUTE_MS);
    const from = Math.max(to - hours * HOUR_MS, minutesKeptFrom(retention, now));
    await this.#parts.foldJournal();
    return { from, to, pages: readMinutes(this.#parts.storage.read, filter, from, to) };
  }

  async #usage(filter: CountsFilter, query: CustomerUsageQuery): Promise<Listing<object>> {
    const timeZone = query.timezone ?? 'UTC';
    if (!isTimeZone(timeZone))
      throw new KeywardError(
        'invalid_query',
        'timezone must be the IANA name of a time zone, like Europe/Berlin.',
      );
    if (query.groupBy === 'accessKey' && (picksKeys(filter) || query.resource !== undefined))
      throw new KeywardError(
        'invalid_query',
        'groupBy=accessKey cannot be combined with key, customAccountId, customUserId, planId or resource: the uses of an access key are stored neither by key nor by resource.',
      );
    const { outcome, sort, resource } = query;
    const isByResource = resource !== undefined || query.groupBy === 'resource';
    if (isByResource && query.interval === 'minute')
      throw new KeywardError(
        'invalid_query',
        'Usage by resource is not counted by minute. Use interval=hour or a longer one.',
      );
    const isUnsorted = query.groupBy === 'outcome' || query.groupBy === 'accessKey';
    if (sort !== undefined && (isUnsorted || outcome !== undefined))
      throw new KeywardError(
        'invalid_query',
        'sort cannot be combined with groupBy=outcome, groupBy=accessKey or outcome.',
      );
    const isOfKeys = picksKeys(filter) || isByResource;
    if (outcome !== undefined && !isKeyOutcome(outcome) && isOfKeys)
      throw new KeywardError(
        'invalid_query',
        `outcome=${outcome} cannot be combined with key, customAccountId, customUserId, planId, resource or groupBy=resource: it is counted for values that are not a key.`,
      );
    const all = usageRange(query, query.interval, timeZone, this.#rangeContext());
    const range = ofResource(all, query.groupBy === 'resource' ? (resource ?? null) : resource);
    const source = groupSource(this.#parts.storage.read, query.groupBy, {
      filter,
      range,
      outcome: outcome ?? null,
      sort: sort ?? 'newest',
      pageSize: seriesPerPage(range),
    });
    const fillsEmptyBuckets =
      query.groupBy === 'outcome' || (filter.keySeq !== null && query.groupBy !== 'resource');
    return this.#list(source, filter, range, query, fillsEmptyBuckets);
  }

  #totalsRange({ resource, dateGrouping = 'all', ...query }: TotalsQuery): Range {
    return ofResource(totalsRange(query, dateGrouping, this.#rangeContext()), resource);
  }

  async #list(
    source: SeriesSource,
    filter: CountsFilter,
    range: Range,
    { limit, cursor, offset = 0 }: PageRequest,
    fill: boolean,
    options: Pick<SeriesQuery, 'seriesMax' | 'withCursors'> = {},
  ): Promise<Listing<object>> {
    if (source.readsKeys) await this.#parts.foldJournal();
    const { bucketAt } = range;
    const { read } = this.#parts.storage;
    const hasUnits = range.grain !== 'minutes' && (await usesUnits(read, filter));
    const list = await listSeries(read, source, {
      ...options,
      range,
      hasUnits,
      bucketAt,
      fill: fill ? range.fill : null,
      rowsPerSeries: rowsPerSeries(range),
      limit,
      offset,
      cursor,
    });
    return hasUnits ? { ...list, moreColumns: [UNITS_COLUMN] } : list;
  }

  #rangeContext() {
    return { retention: this.#parts.retention, now: this.#parts.clock() };
  }

  /** Projects and keys of other tenants are reported as not found. */
  async #filter(principal: Principal, filters: Filters): Promise<CountsFilter> {
    const { accountId, projectIds, customAccountId } = tenantOf(principal);
    const named = filters.projectId ?? ownProject({ projectIds });
    if (named !== null) await requireReadableProject(this.#parts, principal, named);
    const { key } = filters;
    const within = {
      accountId,
      projectIds: named === null ? projectIds : [named],
      customAccountId,
    };
    const found = key === undefined ? null : await requireKey(this.#parts, within, key);
    // A caller restricted to several projects can read one of them at a time.
    const projectId = named ?? (projectIds === null ? null : (found?.project_id ?? null));
    if (projectId === null && projectIds !== null) throw new KeywardError('project_required');
    return {
      accountId,
      projectId,
      keySeq: found?.seq ?? null,
      customAccountId: customAccountId ?? textFilter(filters.customAccountId),
      customUserId: textFilter(filters.customUserId),
      planId: textFilter(filters.planId),
    };
  }
}

/** A page of an export ends after this many keys, which may all be unused. */
const EXPORTED_SERIES_MAX = 5_000;

const MEDIA_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/** `resource` undefined: of all requests. */
const ofResource = (range: Range, resource: string | null | undefined): Range =>
  resource === undefined ? range : { ...range, resource };

/** Reading these and making their rows takes a few milliseconds. */
const ROWS_PER_READ = 4_000;
/** Assumed length of a range without a start, to limit the rows that are read. */
const DAYS_READ = 400;
/** The same, to estimate how many rows a series has. */
const DAYS_LISTED = 90;
const UNIT_MS = { minutes: MINUTE_MS, quarters: QUARTER_HOUR_MS, days: DAY_MS, months: DAY_MS };

/** Limits the rows that are read at a time, however long the range is. */
function seriesPerPage({ asOne, grain, from, fill }: Range): number {
  if (asOne) return 500;
  const units = from === 0 ? DAYS_READ : Math.ceil((fill.until - from) / UNIT_MS[grain]);
  return Math.min(Math.max(Math.floor(ROWS_PER_READ / Math.max(units, 1)), 1), 100);
}

function rowsPerSeries({ asOne, bucketAt, from, fill }: Range): number {
  if (asOne || bucketAt === null) return 1;
  const { start, end } = bucketAt(fill.until - 1);
  const length = end - start;
  return from === 0
    ? Math.ceil(DAYS_LISTED * (DAY_MS / length))
    : Math.max(1, (fill.until - from) / length);
}
