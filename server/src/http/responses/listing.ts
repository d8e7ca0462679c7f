import { Readable } from 'node:stream';
import { csvLine } from '@keyward/rules/csv.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { KeywardError } from '../../kernel/errors.ts';
import { beginPage, currentRequest, inThisRequest } from '../../kernel/request-context.ts';
import type { HeldResponse } from '../../kernel/response-budget.ts';
import type { Call, Listing, Route } from '../../kernel/route.ts';
import { PAGE_BYTES_MAX } from '../../kernel/schemas.ts';
import { type ItemFormat, writeItems } from './write-items.ts';

interface Format extends ItemFormat {
  readonly contentType: string;
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

/** Calls a list route, whose `handle` reads nothing before the first slice is wanted. */
export async function callListRoute(route: Route, call: Call): Promise<Listing<unknown>> {
  const { offset = 0, cursor } = call.query as { offset?: number; cursor?: string };
  if (offset > 0 && cursor !== undefined)
    throw new KeywardError('invalid_query', 'Send either offset or cursor.');
  return (await route.handle(call)) as Listing<unknown>;
}

interface SendOptions {
  readonly csvColumns: readonly string[] | undefined;
  /** Throws if the caller may not read on. */
  mayContinue(): Promise<void>;
  /** Waits until other lists have had their turn. */
  takeTurn(): void | Promise<void>;
  /** Memory reserved for a page; a whole list needs less. */
  readonly held: HeldResponse;
}

/** Sends one page with a link to the next, or streams the whole list at the pace of the client. */
export async function sendListing(
  request: FastifyRequest,
  reply: FastifyReply,
  listing: Listing<unknown>,
  options: SendOptions,
): Promise<FastifyReply> {
  const { csvColumns } = options;
  const columns = csvColumns && [...csvColumns, ...(listing.moreColumns ?? [])];
  const format = formatFor(listing.mediaType ?? request.headers.accept, columns);
  reply.type(format.contentType).header('vary', 'accept');
  const { limit, headers = [] } = listing;
  for (let n = 0; n < headers.length; n += 2) reply.header(headers[n]!, headers[n + 1]!);
  const isGone = () => currentRequest()?.signal.aborted === true;
  if (limit !== undefined) {
    const text = writeItems(listing.slices, format, {
      ...{ itemsMax: limit, bytesMax: PAGE_BYTES_MAX, isGone },
      takeTurn: options.takeTurn,
    });
    const { page, next } = await collected(text);
    if (next !== null) reply.header('Link', nextLink(request.url, next));
    options.held.send(page.length);
    return reply.send(page);
  }
  const text = writeItems(pausing(listing.slices, options.mayContinue), format, {
    ...{ itemsMax: Infinity, bytesMax: Infinity, isGone },
    takeTurn: options.takeTurn,
  });
  // Read the first slice before sending anything: an error can still become a status.
  const first = await text.next();
  // Called when the client has read enough: after an earlier response on its connection, that is in the
  // context of the request of that response.
  const next = inThisRequest(() => text.next());
  return reply.send(Readable.from(startingWith(first, next), { objectMode: false }));
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

/** Between the slices of a whole list, which a client may read slowly, its credential is checked again. */
async function* pausing<T>(
  slices: AsyncIterable<T>,
  mayContinue: () => Promise<void>,
): AsyncGenerator<T> {
  for await (const slice of slices) {
    yield slice;
    await mayContinue();
    beginPage();
  }
}

async function* startingWith(
  first: IteratorResult<Buffer>,
  next: () => Promise<IteratorResult<Buffer>>,
): AsyncGenerator<Buffer> {
  for (let piece = first; !piece.done; piece = await next()) yield piece.value;
}

/** The whole text of a page, and the cursor of the next; null if there is none. */
async function collected(
  text: AsyncGenerator<Buffer, string | null>,
): Promise<{ page: Buffer; next: string | null }> {
  const chunks: Buffer[] = [];
  for (;;) {
    const { done, value } = await text.next();
    if (done) return { page: Buffer.concat(chunks), next: value };
    chunks.push(value);
  }
}

function nextLink(url: string, cursor: string): string {
  const next = new URL(url, 'http://localhost');
  next.searchParams.delete('offset');
  next.searchParams.set('cursor', cursor);
  return `<${next.pathname}${next.search}>; rel="next"`;
}
