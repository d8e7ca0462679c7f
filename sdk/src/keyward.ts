import { Breaker } from './http/breaker.ts';
import { Calls, type ItemOf, type ListId, type RequestOf, type ResponseOf } from './http/calls.ts';
import type { List } from './http/list.ts';
import type { InputOf, OperationId, ResponseBodyOf } from './http/operation.ts';
import type { CallOptions, TransportOptions } from './http/options.ts';
import { Transport } from './http/transport.ts';
import { type AccessKeys, accessKeys } from './resources/access-keys.ts';
import { Accounts } from './resources/accounts.ts';
import { Analytics } from './resources/analytics.ts';
import { ApiKeys } from './resources/api-keys.ts';
import { AuditLogs } from './resources/audit-logs.ts';
import { Customers } from './resources/customers.ts';
import { Invitations } from './resources/invitations.ts';
import { Leaks } from './resources/leaks.ts';
import { Me } from './resources/me.ts';
import { type Plans, plans } from './resources/plans.ts';
import { PortalSessions } from './resources/portal-sessions.ts';
import { type Projects, projects } from './resources/projects.ts';
import { Server } from './resources/server.ts';
import { SignIn } from './resources/sign-in.ts';
import { Teammates } from './resources/teammates.ts';
import { type Webhooks, webhooks } from './resources/webhooks.ts';
import type { Validation } from './validation/outcome.ts';
import { ValidationCalls, type ValidationTimeouts } from './validation/validation-calls.ts';
import { type OnUnavailable, type ValidateOptions, Validator } from './validation/validator.ts';

export interface KeywardOptions extends TransportOptions, ValidationTimeouts {
  /**
   * The result of a validation while Keyward is unavailable: `'deny'`, `'allow'`, or a function that
   * decides. Without it, `validate` throws `KeywardUnavailable`.
   */
  readonly onUnavailable?: OnUnavailable | undefined;
}

/**
 * ```ts
 * const keyward = new Keyward({ url, accessKey, onUnavailable: 'deny' });
 * const { allowed, record } = await keyward.validate(value);
 * ```
 */
export class Keyward {
  readonly apiKeys: ApiKeys;
  readonly plans: Plans;
  readonly customers: Customers;
  readonly portalSessions: PortalSessions;
  readonly accessKeys: AccessKeys;
  readonly projects: Projects;
  readonly accounts: Accounts;
  readonly invitations: Invitations;
  readonly teammates: Teammates;
  readonly webhooks: Webhooks;
  readonly analytics: Analytics;
  readonly auditLogs: AuditLogs;
  readonly leaks: Leaks;
  readonly server: Server;
  readonly signIn: SignIn;
  readonly me: Me;
  readonly #calls: Calls;

  /** `breaker`: passed by `LocalKeyward`, whose other requests share it. */
  constructor(options: KeywardOptions, breaker = new Breaker()) {
    const transport = new Transport(options);
    const validations = new ValidationCalls(transport, options, breaker);
    const calls = new Calls(transport);
    this.#calls = calls;
    this.apiKeys = new ApiKeys(calls, new Validator(validations, options.onUnavailable));
    this.plans = plans(calls);
    this.customers = new Customers(calls);
    this.portalSessions = new PortalSessions(calls);
    this.accessKeys = accessKeys(calls);
    this.projects = projects(calls);
    this.accounts = new Accounts(calls);
    this.invitations = new Invitations(calls);
    this.teammates = new Teammates(calls);
    this.webhooks = webhooks(calls);
    this.analytics = new Analytics(calls);
    this.auditLogs = new AuditLogs(calls);
    this.leaks = new Leaks(calls);
    this.server = new Server(calls);
    this.signIn = new SignIn(calls);
    this.me = new Me(calls);
  }

  /** Short for `apiKeys.validate`. */
  validate(value: string, options?: ValidateOptions): Promise<Validation> {
    return this.apiKeys.validate(value, options);
  }

  /** Calls any operation by its `operationId` in docs/openapi.json, with its types. */
  call<Id extends OperationId>(
    id: Id,
    input: InputOf<Id>,
    options?: CallOptions,
  ): Promise<ResponseBodyOf<Id>> {
    return this.#calls.call(id, input, options);
  }

  /** Like `call`, but adds `input.headers` and also returns the status and headers of the response. */
  request<Id extends OperationId>(
    id: Id,
    input: RequestOf<Id>,
    options?: CallOptions,
  ): Promise<ResponseOf<Id>> {
    return this.#calls.request(id, input, options);
  }

  /** Calls any operation that returns a list, and reads it page by page. */
  list<Id extends ListId>(id: Id, input: InputOf<Id>, options?: CallOptions): List<ItemOf<Id>> {
    return this.#calls.list(id, input, options);
  }
}
