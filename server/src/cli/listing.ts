import type { Api, Query } from './api.ts';
import type { Command, OptionSpecs, ValuesOf } from './command.ts';
import { UsageError } from './failure.ts';
import { type ResourceCall, resourceCommand } from './resource-command.ts';
import type { Column } from './table.ts';
import { readLimit } from './values.ts';

const DEFAULT_LIMIT = 50;

const PAGE_OPTIONS = {
  limit: { value: 'N', help: `How many to show, 1 to 1000. Default: ${DEFAULT_LIMIT}` },
  cursor: { value: 'CURSOR', help: 'Go on where the list before this one ended' },
  all: { help: 'Every one, however many there are' },
} as const satisfies OptionSpecs;

export type PageValues = ValuesOf<typeof PAGE_OPTIONS>;

/** A command that lists, newest first, page by page. */
export function listCommand<const O extends OptionSpecs>(
  command: Omit<Command, 'options' | 'run'> & {
    /** Made of the arguments, where the list is that of something. */
    readonly path: string | ((args: readonly string[]) => string);
    readonly columns: readonly Column[];
    readonly options: O;
    readonly operator?: 'allowed';
    query(values: ValuesOf<O>, call: Pick<ResourceCall<unknown>, 'asOperator'>): Query;
    /** Does something else than to list, where the options say so. */
    instead?(
      call: ResourceCall<ValuesOf<O> & PageValues>,
      filter: Query,
    ): Promise<undefined> | null;
  },
): Command {
  const { path, columns, options, query, instead, ...rest } = command;
  return resourceCommand({
    ...rest,
    options: { ...options, ...PAGE_OPTIONS },
    run: (call) => {
      const filter = query(call.values as unknown as ValuesOf<O>, call);
      const other = instead?.(call as unknown as ResourceCall<ValuesOf<O> & PageValues>, filter);
      if (other) return other;
      const from = typeof path === 'string' ? path : path(call.args);
      return call.out.list(pagesFor(call.api, from, filter, call.values as PageValues), columns);
    },
  });
}

function pagesFor(api: Api, path: string, filter: Query, { limit, cursor, all }: PageValues) {
  if (all && limit !== undefined) throw new UsageError('--all and --limit exclude each other');
  const size = limit === undefined ? DEFAULT_LIMIT : readLimit(limit);
  return api.pages(path, { ...filter, cursor }, all ? undefined : size);
}

/** For the filters that every kind of record has. */
export function readActive(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== 'yes' && text !== 'no') throw new UsageError('--active takes yes or no');
  return text === 'yes';
}
