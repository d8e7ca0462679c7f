import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { csvLine } from '../../../../sdk/src/rules/csv.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { beginPage, inThisRequest } from '../../kernel/request-context.ts';
import type { Call, Listing, Route } from '../../kernel/route.ts';
import { LIMIT_MAX } from '../../kernel/schemas.ts';

/** A format for lists: what comes before, between and after the items. */
interface Format {
  readonly contentType: string;
  readonly open: string;
  readonly between: string;
  readonly close: string;
  readonly empty: string;
  item(item: unknown): string;
}

const JSON_ARRAY: Format = {
  contentType: 'application/json; charset=utf-8',
  open: '[',
  between: ',',
  close: ']',
  empty: '[]',
  item: (item) => JSON.stringify(item),
};

export const NDJSON = 'application/x-ndjson';

/** One JSON object per line, so that an export can be read item by item. */
const JSON_LINES: Format = {
  contentType: `${NDJSON}; charset=utf-8`,
  open: '',
  between: '\n',
  close: '\n',
  empty: '',
  item: (item) => JSON.stringify(item),
};

export const CSV = 'text/csv';

/** All lines end with CRLF, as in RFC 4180. */
const csvFormat = (columns: readonly string[]): Format => ({
  contentType: `${CSV}; charset=utf-8; header=present`,
  open: `${csvLine(columns)}\r\n`,
  between: '\r\n',
  close: '\r\n',
  empty: `${csvLine(columns)}\r\n`,
  item: (item) => {
    const record = item as Record<string, unknown>;
    return csvLine(columns.map((column) => record[column]));
  },
});

interface PagedQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly offset?: number;
}

/**
 * Calls a list route. With `offset`, the pages before it are read and dropped, so `cursor` is cheaper
 * for long lists.
 */
export async function callListRoute(route: Route, call: Call): Promise<Listing<unknown>> {
  const { offset = 0, ...query } = call.query as PagedQuery;
  if (offset > 0 && query.cursor !== undefined)
    throw new KeywardError('invalid_query', 'Send either offset or cursor.');
  const list = (page: PagedQuery) =>
    route.handle({ ...call, query: { ...query, ...page } }) as Promise<Listing<unknown>>;
  let start: PagedQuery = {};
  for (let left = offset; left > 0; ) {
    const skipped = await list({ ...start, limit: Math.min(left, LIMIT_MAX) });
    if (!('page' in skipped)) throw new TypeError('a list route with a limit must return a page');
    if (skipped.next === null) return { ...skipped, page: [] };
    left -= skipped.page.length;
    start = { cursor: skipped.next };
  }
  return list(start);
}

interface SendOptions {
  readonly csvColumns: readonly string[] | undefined;
  /** Throws if the caller may not read further pages. */
  mayContinue(): Promise<void>;
}

/** Sends one page with a link to the next, or streams the whole list at the pace of the client. */
export async function sendListing(
  request: FastifyRequest,
  reply: FastifyReply,
  listing: Listing<unknown>,
  { csvColumns, mayContinue }: SendOptions,
): Promise<FastifyReply> {
  const format = formatFor(request.headers.accept, csvColumns);
  reply.type(format.contentType).header('vary', 'accept');
  const { headers = [] } = listing;
  for (let n = 0; n < headers.length; n += 2) reply.header(headers[n]!, headers[n + 1]!);
  if ('page' in listing) {
    if (listing.next !== null) reply.header('Link', nextLink(request.url, listing.next));
    const { page } = listing;
    return reply.send(
      page.length === 0 ? format.empty : format.open + items(page, format) + format.close,
    );
  }
  const pages = listing.pages[Symbol.asyncIterator]();
  // Read the first page before sending anything: an error can still become a status.
  const first = await pages.next();
  // Further pages would be read for nothing.
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  // Called when the client has read enough: after an earlier response on its connection, that is in the
  // context of the request of that response.
  const next = inThisRequest(async () => {
    await mayContinue();
    beginPage();
    return pages.next();
  });
  return reply.send(Readable.from(writePages(first, next, format), { objectMode: false }));
}

/** The first accepted format that the list supports, or JSON. */
function formatFor(accept = '', csvColumns?: readonly string[]): Format {
  for (const range of accept.split(',')) {
    const type = range.split(';', 1)[0]!.trim().toLowerCase();
    if (type === 'application/json') return JSON_ARRAY;
    if (type === NDJSON) return JSON_LINES;
    if (type === CSV && csvColumns) return csvFormat(csvColumns);
  }
  return JSON_ARRAY;
}

async function* writePages(
  first: IteratorResult<readonly unknown[]>,
  next: () => Promise<IteratorResult<readonly unknown[]>>,
  format: Format,
): AsyncGenerator<string> {
  let separator = format.open;
  let isEmpty = true;
  for (let page = first; !page.done; page = await next()) {
    yield separator + items(page.value, format);
    separator = format.between;
    isEmpty = false;
  }
  yield isEmpty ? format.empty : format.close;
}

const items = (page: readonly unknown[], { item, between }: Format): string =>
  page.map(item).join(between);

function nextLink(url: string, cursor: string): string {
  const next = new URL(url, 'http://localhost');
  next.searchParams.delete('offset');
  next.searchParams.set('cursor', cursor);
  return `<${next.pathname}${next.search}>; rel="next"`;
}
