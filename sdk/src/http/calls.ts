import { List, nextCursorOf } from './list.ts';
import type { AnswerOf, InputOf, OperationId } from './operation.ts';
import type { CallOptions } from './options.ts';
import type { Request, Transport } from './transport.ts';

/** The operations whose answer is a list with a cursor. */
export type ListId = {
  [Id in OperationId]: InputOf<Id> extends { readonly query?: { cursor?: string } }
    ? AnswerOf<Id> extends readonly unknown[]
      ? Id
      : never
    : never;
}[OperationId];

export type ItemOf<Id extends ListId> = AnswerOf<Id> extends readonly (infer Item)[] ? Item : never;

/** Calls by the name of their operation, with the types of the description. */
export class Calls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async call<Id extends OperationId>(
    id: Id,
    input: InputOf<Id>,
    options?: CallOptions,
  ): Promise<AnswerOf<Id>> {
    return (await this.#transport.send(id, input as Request, options)).body as AnswerOf<Id>;
  }

  list<Id extends ListId>(id: Id, input: InputOf<Id>, options?: CallOptions): List<ItemOf<Id>> {
    const { query, ...rest } = input as Request;
    return new List(
      async (paging, pageOptions) => {
        const request = { ...rest, query: { ...query, ...paging } };
        const { body, headers } = await this.#transport.send(id, request, pageOptions);
        return { items: body as ItemOf<Id>[], nextCursor: nextCursorOf(headers) };
      },
      query,
      options,
    );
  }
}
