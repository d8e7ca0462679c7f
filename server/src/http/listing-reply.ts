import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Listing } from '../kernel/route.ts';

/** One page with a link to the next, or the whole list page after page as the reader takes it. */
export async function sendListing(
  request: FastifyRequest,
  reply: FastifyReply,
  listing: Listing<unknown>,
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8');
  if ('page' in listing) {
    if (listing.next !== null) reply.header('Link', nextLink(request.url, listing.next));
    return reply.send(JSON.stringify(listing.page));
  }
  const pages = listing.pages[Symbol.asyncIterator]();
  // The first page is read before anything is sent, so that a failure can still be told by status.
  const first = await pages.next();
  return reply.send(Readable.from(jsonArray(first, pages), { objectMode: false }));
}

async function* jsonArray(
  first: IteratorResult<readonly unknown[]>,
  pages: AsyncIterator<readonly unknown[]>,
): AsyncGenerator<string> {
  let separator = '[';
  for (let page = first; !page.done; page = await pages.next()) {
    const items = page.value.map((item) => JSON.stringify(item)).join(',');
    yield separator + items;
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

function nextLink(url: string, cursor: string): string {
  const next = new URL(url, 'http://localhost');
  next.searchParams.set('cursor', cursor);
  return `<${next.pathname}${next.search}>; rel="next"`;
}
