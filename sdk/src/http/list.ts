import type { CallOptions } from './options.ts';

/** One page of a list, and the cursor of the next page; null on the last page. */
export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
  /** The headers of the response, such as `keyward-omitted` of `refusals`. */
  readonly headers: Headers;
}

type FetchPage<Item> = (
  paging: { limit: number; cursor?: string },
  options?: CallOptions,
) => Promise<Page<Item>>;

const DEFAULT_PAGE_SIZE = 100;
const PAGE_SIZE_MAX = 1000;

/**
 * A list that is fetched page by page while it is read:
 *
 * ```ts
 * for await (const key of keyward.apiKeys.list({ isActive: true })) …
 * const { items, nextCursor } = await keyward.apiKeys.list({ limit: 50, cursor }).page();
 * const { items } = await keyward.apiKeys.list().take(500);
 * ```
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #fetchPage: FetchPage<Item>;
  readonly #start: { limit: number; cursor?: string };
  readonly #options: CallOptions | undefined;

  constructor(
    fetchPage: FetchPage<Item>,
    start: { limit?: number | undefined; cursor?: string | undefined } = {},
    options?: CallOptions,
  ) {
    this.#fetchPage = fetchPage;
    this.#start = {
      limit: start.limit ?? DEFAULT_PAGE_SIZE,
      ...(start.cursor !== undefined && { cursor: start.cursor }),
    };
    this.#options = options;
  }

  /** The page at `cursor`, or the first page. It may have fewer items than `limit`: a page ends at 1 MB. */
  page(): Promise<Page<Item>> {
    return this.#fetchPage(this.#start, this.#options);
  }

  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let page = await this.page();
    yield page;
    while (page.nextCursor !== null) {
      const paging = { limit: this.#start.limit, cursor: page.nextCursor };
      page = await this.#fetchPage(paging, this.#options);
      yield page;
    }
  }

  /** The first items, from as many pages as they need, and the cursor of what follows them. */
  async take(count: number): Promise<Page<Item>> {
    const items: Item[] = [];
    let { cursor } = this.#start;
    for (;;) {
      const limit = Math.min(count - items.length, PAGE_SIZE_MAX);
      const paging = { limit, ...(cursor !== undefined && { cursor }) };
      const page = await this.#fetchPage(paging, this.#options);
      items.push(...page.items);
      if (page.nextCursor === null || items.length >= count) return { ...page, items };
      cursor = page.nextCursor;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** Loads the whole list into memory: use it only for lists that are known to be short. */
  async toArray(): Promise<Item[]> {
    const all: Item[] = [];
    for await (const { items } of this.pages()) all.push(...items);
    return all;
  }
}

/** The cursor in `Link: <…?cursor=…>; rel="next"`; null when there is no next page. */
export function nextCursorOf(headers: Headers): string | null {
  const address = /<([^>]*)>\s*;\s*rel="?next"?/i.exec(headers.get('link') ?? '')?.[1];
  if (address === undefined) return null;
  return new URLSearchParams(address.slice(address.indexOf('?') + 1)).get('cursor');
}
