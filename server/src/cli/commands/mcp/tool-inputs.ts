import Type from 'typebox';
import type { Api } from '../../api.ts';

export const keyInput = Type.String({
  minLength: 1,
  description: 'The id of the key (`key_…`). A value is accepted too.',
});

/** How a tool names pages, instead of the parameters of the endpoint. */
export const pageInput = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 50, description: 'Number of rows' }),
  ),
  cursor: Type.Optional(
    Type.String({ description: '`nextCursor` of the previous result, for the rows after it' }),
  ),
};

/** The filters of a list. */
export function withoutPage<Fields extends object>(
  fields: Fields,
): Omit<Fields, 'limit' | 'offset' | 'cursor'> {
  const { limit, offset, cursor, ...filters } = fields as Record<string, unknown>;
  return filters as Omit<Fields, 'limit' | 'offset' | 'cursor'>;
}

export async function listPage(
  api: Api,
  operation: Parameters<Api['pages']>[0],
  { limit = 50, ...query }: { readonly limit?: number; readonly [name: string]: unknown },
) {
  for await (const { rows, next } of api.pages(operation, { query: query as never }, limit))
    return { data: { rows, nextCursor: next } };
  return { data: { rows: [], nextCursor: null } };
}
