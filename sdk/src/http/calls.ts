import type { ApiResponse } from './api-response.ts';
import { List, nextCursorOf } from './list.ts';
import type { InputOf, OperationId, ResponseBodyOf } from './operation.ts';
import type { CallOptions } from './options.ts';
import type { Request, Transport } from './transport.ts';

/** The operations that return a list with a cursor. */
export type ListId = {
  [Id in OperationId]: InputOf<Id> extends { readonly query?: { cursor?: string } }
    ? ResponseBodyOf<Id> extends readonly unknown[]
      ? Id
      : never
    : never;
}[OperationId];

export type ItemOf<Id extends ListId> =
  ResponseBodyOf<Id> extends readonly (infer Item)[] ? Item : never;

/** The input of an operation, with optional extra headers. */
export type RequestOf<Id extends OperationId> = InputOf<Id> & {
  readonly headers?: Readonly<Record<string, string>>;
};

export interface ResponseOf<Id extends OperationId> extends ApiResponse {
  readonly body: ResponseBodyOf<Id>;
}

/** Calls operations by their id, with the types from the API description. */
export class Calls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async call<Id extends OperationId>(
    id: Id,
    input: InputOf<Id>,
    options?: CallOptions,
  ): Promise<ResponseBodyOf<Id>> {
    return (await this.#transport.send(id, input as Request, options)).body as ResponseBodyOf<Id>;
  }

  /** Like `call`, with the status and headers of the response. */
  async request<Id extends OperationId>(
    id: Id,
    input: RequestOf<Id>,
    options?: CallOptions,
  ): Promise<ResponseOf<Id>> {
    return (await this.#transport.send(id, input as Request, options)) as ResponseOf<Id>;
  }

  list<Id extends ListId>(id: Id, input: InputOf<Id>, options?: CallOptions): List<ItemOf<Id>> {
    const { query, ...rest } = input as Request;
    return new List(
      async (paging, pageOptions) => {
        // Only the first page is requested with the offset: the cursor of the next page includes it, and the
        // server rejects both together.
        const offset = paging.cursor === query?.cursor ? query?.offset : undefined;
        const request = { ...rest, query: { ...query, ...paging, offset } };
        const { body, headers } = await this.#transport.send(id, request, pageOptions);
        return { items: body as ItemOf<Id>[], nextCursor: nextCursorOf(headers), headers };
      },
      query,
      options,
    );
  }
}
