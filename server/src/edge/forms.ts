import type { IncomingHttpHeaders } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import type { Conditions } from '@keyward/rules/check-key.ts';
import type { Static } from 'typebox';
import type { ClientIPHeader } from '../features/validation/client-ip.ts';
import { type GatewayStatuses, gatewayRequest } from '../features/validation/gateway.ts';
import { batchOf, checkBodyForm } from '../features/validation/wire/body-form.ts';
import { conditionsInQuery, conditionsOf } from '../features/validation/wire/conditions.ts';
import {
  AuthenticateOldForm,
  GatewayQuery,
  PathQuery,
  ValidateInBody,
} from '../features/validation/wire/request-schema.ts';
import { compileSchema } from '../http/routing/schema-check.ts';
import { KeywardError } from '../kernel/errors.ts';
import { strict } from '../kernel/schemas.ts';
import type { EdgeBatch } from './batch.ts';

/** The validations that a request contains. */
export type ParsedValidation =
  | { readonly kind: 'one'; readonly value: string; readonly conditions: Conditions }
  | { readonly kind: 'batch'; readonly batch: EdgeBatch }
  | {
      readonly kind: 'gateway';
      readonly value: string;
      readonly conditions: Conditions;
      readonly statuses: GatewayStatuses;
    };

interface Parts {
  readonly headers: IncomingHttpHeaders;
  /** The address at the other end of the connection. */
  readonly peer: string | undefined;
  /** Null if no header is read. */
  readonly clientIPHeader: ClientIPHeader | null;
  /** The decoded path after `/api-keys/auth/`; '' for all other forms. */
  readonly rest: string;
  readonly query: unknown;
  readonly body: unknown;
}

/** A form of a validation: which requests it matches, and how it reads them. */
export interface Form {
  readonly methods: readonly string[];
  readonly takesBody: boolean;
  /** Only for `gateway`, whose credential is in a separate header. */
  readonly isGateway?: true;
  read(parts: Parts): ParsedValidation;
}

const check = (schema: object, httpPart: 'body' | 'querystring') => {
  const compiled = compileSchema({ schema, httpPart, method: '', url: '' });
  return <T>(value: unknown): T => {
    const result = compiled(value) as true | { readonly error: Error };
    if (result !== true) throw result.error;
    return value as T;
  };
};

const checkNoQuery = check(strict({}), 'querystring');
const checkPathQuery = check(PathQuery, 'querystring');
const checkGatewayQuery = check(GatewayQuery, 'querystring');
const checkBody = check(ValidateInBody, 'body');
const checkOldForm = check(AuthenticateOldForm, 'body');

const inPath: Form = {
  methods: ['POST', 'GET'],
  takesBody: false,
  read({ headers, rest, query }) {
    const inQuery = checkPathQuery<Parameters<typeof conditionsInQuery>[1]>(query);
    const conditions = conditionsInQuery({ headers }, inQuery);
    return { kind: 'one', value: rest, conditions };
  },
};

const inBody: Form = {
  methods: ['POST'],
  takesBody: true,
  read({ headers, query, body }) {
    const fields = checkBody<Parameters<typeof checkBodyForm>[0]>(body ?? null);
    checkNoQuery(query);
    checkBodyForm(fields);
    const { key, keys, lease, leases: _, policies: __, ...common } = fields;
    if (lease !== undefined)
      throw new KeywardError(
        'invalid_body',
        'An edge gives no leases. Request them from the server.',
      );
    const conditions = conditionsOf({ headers }, fields);
    if (keys === undefined) return { kind: 'one', value: key!, conditions };
    const batch = batchOf(keys, conditions);
    const items = batch.values.map((value, n) => ({
      value,
      conditions: 'origin' in batch.conditions ? batch.conditions : batch.conditions[n]!,
      element: keys[n],
    }));
    return { kind: 'batch', batch: { items, origin: conditions.origin, common } };
  },
};

const oldForm: Form = {
  methods: ['POST'],
  takesBody: true,
  read({ headers, query, body }) {
    const fields = checkOldForm<Static<typeof AuthenticateOldForm>>(body ?? null);
    checkNoQuery(query);
    const conditions = conditionsOf({ headers }, fields);
    return { kind: 'one', value: fields.credentials.api_key, conditions };
  },
};

const gateway: Form = {
  methods: ['GET'],
  takesBody: false,
  isGateway: true,
  read({ headers, peer, clientIPHeader, query }) {
    const inQuery = checkGatewayQuery<Parameters<typeof gatewayRequest>[1]>(query);
    const { value, conditions, statuses } = gatewayRequest(
      { headers, peer },
      inQuery,
      clientIPHeader,
    );
    return { kind: 'gateway', value, conditions, statuses };
  },
};

const BY_PATH: ReadonlyMap<string, Form> = new Map([
  ['/api-keys/auth', inBody],
  ['/auth/authenticate', oldForm],
  ['/gateway/verify', gateway],
]);

export interface Matched extends Pick<Parts, 'rest' | 'query'> {
  readonly form: Form;
}

const IN_PATH = '/api-keys/auth/';

/** The form that a request has; null if it is not a validation. */
export function formOf(method: string, url: string): Matched | null {
  const [path = '', search = ''] = url.split(/\?(.*)/s, 2);
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  const query = parseQuery(search, undefined, undefined, { maxKeys: 0 });
  const form = BY_PATH.get(trimmed);
  if (form !== undefined) return form.methods.includes(method) ? { form, rest: '', query } : null;
  if (!trimmed.startsWith(IN_PATH) || !inPath.methods.includes(method)) return null;
  const rest = trimmed.slice(IN_PATH.length);
  return rest === '' || rest.includes('/') ? null : { form: inPath, rest: decoded(rest), query };
}

/** A value that is not percent-encoded correctly is read as it is, as the server does. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
