import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Listing } from '../kernel/route.ts';
import { csvLine } from './csv.ts';

/** How a list is written down: what stands before, between and after its items. */
interface Form {
  readonly contentType: string;
  readonly open: string;
  readonly between: string;
  readonly close: string;
  readonly empty: string;
  item(item: unknown): string;
}

const JSON_ARRAY: Form = {
  contentType: 'application/json; charset=utf-8',
  open: '[',
  between: ',',
  close: ']',
  empty: '[]',
  item: (item) => JSON.stringify(item),
};

export const NDJSON = 'application/x-ndjson';

/** One JSON object a line, so that a reader can take an export item by item. */
const JSON_LINES: Form = {
  contentType: `${NDJSON}; charset=utf-8`,
  open: '',
  between: '\n',
  close: '\n',
  empty: '',
  item: (item) => JSON.stringify(item),
};

export const CSV = 'text/csv';

/** Lines end as RFC 4180 says, the last one too. */
const csvForm = (columns: readonly string[]): Form => ({
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

/** One page with a link to the next, or the whole list page after page as the reader takes it. */
export async function sendListing(
  request: FastifyRequest,
  reply: FastifyReply,
  listing: Listing<unknown>,
  csvColumns?: readonly string[],
): Promise<FastifyReply> {
  const form = formFor(request.headers.accept, csvColumns);
  reply.type(form.contentType).header('vary', 'accept');
  if ('page' in listing) {
    if (listing.next !== null) reply.header('Link', nextLink(request.url, listing.next));
    const { page } = listing;
    return reply.send(page.length === 0 ? form.empty : form.open + items(page, form) + form.close);
  }
  const pages = listing.pages[Symbol.asyncIterator]();
  // The first page is read before anything is sent, so that a failure can still be told by status.
  const first = await pages.next();
  return reply.send(Readable.from(written(first, pages, form), { objectMode: false }));
}

/** The first of those named that the list can be written in; JSON for everybody else. */
function formFor(accept = '', csvColumns?: readonly string[]): Form {
  for (const range of accept.split(',')) {
    const type = range.split(';', 1)[0]!.trim().toLowerCase();
    if (type === 'application/json') return JSON_ARRAY;
    if (type === NDJSON) return JSON_LINES;
    if (type === CSV && csvColumns) return csvForm(csvColumns);
  }
  return JSON_ARRAY;
}

async function* written(
  first: IteratorResult<readonly unknown[]>,
  pages: AsyncIterator<readonly unknown[]>,
  form: Form,
): AsyncGenerator<string> {
  let separator = form.open;
  let isEmpty = true;
  for (let page = first; !page.done; page = await pages.next()) {
    yield separator + items(page.value, form);
    separator = form.between;
    isEmpty = false;
  }
  yield isEmpty ? form.empty : form.close;
}

const items = (page: readonly unknown[], { item, between }: Form): string =>
  page.map(item).join(between);

function nextLink(url: string, cursor: string): string {
  const next = new URL(url, 'http://localhost');
  next.searchParams.delete('offset');
  next.searchParams.set('cursor', cursor);
  return `<${next.pathname}${next.search}>; rel="next"`;
}
