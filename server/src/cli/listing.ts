import type { Fields } from '@keyward/rules/resources/field.ts';
import type { ListId } from 'keyward';
import type { Query } from './api.ts';
import type { Command, OptionSpecs, ValuesOf } from './command.ts';
import { UsageError } from './failure.ts';
import { withListed } from './fields/filters.ts';
import { type ResourceCall, resourceCommand } from './resource-command.ts';
import type { Column } from './terminal/table.ts';
import { readLimit } from './values.ts';

const DEFAULT_LIMIT = 50;

const PAGE_OPTIONS = {
  limit: { value: 'N', help: `Number of rows, 1 to 1000. Default: ${DEFAULT_LIMIT}` },
  cursor: { value: 'CURSOR', help: 'Continue after the previous page' },
  all: { help: 'List all pages' },
} as const satisfies OptionSpecs;

export type PageValues = ValuesOf<typeof PAGE_OPTIONS>;

/** A command that lists, newest first, page by page. */
export function listCommand<const O extends OptionSpecs>(
  command: Omit<Command, 'options' | 'run'> & {
    /** The `operationId` in docs/openapi.json. */
    readonly operation: ListId;
    /** Path parameters, from the arguments. */
    path?(args: readonly string[]): Record<string, string>;
    readonly columns: readonly Column[];
    /** The description of the records: its listed fields are shown after `columns`. */
    readonly fields?: Fields;
    readonly options: O;
    readonly operator?: 'allowed';
    query(values: ValuesOf<O>, call: Pick<ResourceCall<unknown>, 'asOperator'>): Query;
    /** Runs another action, such as --follow. Returns null to list as usual. */
    instead?(
      call: ResourceCall<ValuesOf<O> & PageValues>,
      filter: Query,
    ): Promise<undefined> | null;
  },
): Command {
  const { operation, path, fields = {}, options, query, instead, ...rest } = command;
  const columns = withListed(command.columns, fields);
  return resourceCommand({
    ...rest,
    options: { ...options, ...PAGE_OPTIONS },
    run: (call) => {
      const filter = query(call.values as unknown as ValuesOf<O>, call);
      const other = instead?.(call as unknown as ResourceCall<ValuesOf<O> & PageValues>, filter);
      if (other) return other;
      const { cursor, size } = paging(call.values as PageValues);
      const input = { ...(path && { path: path(call.args) }), query: { ...filter, cursor } };
      return call.out.list(call.api.pages(operation, input, size), columns);
    },
  });
}

function paging({ limit, cursor, all }: PageValues) {
  if (all && limit !== undefined) throw new UsageError('--all and --limit exclude each other');
  if (all) return { cursor, size: undefined };
  return { cursor, size: limit === undefined ? DEFAULT_LIMIT : readLimit(limit) };
}

/** Reads the value of --active. */
export function readActive(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== 'yes' && text !== 'no') throw new UsageError('--active takes yes or no');
  return text === 'yes';
}
