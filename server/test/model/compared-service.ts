import { expect } from 'vitest';
import type { TestApp } from '../harness/test-app.ts';
import type { TestResponse } from '../harness/test-client.ts';
import type { Command, RequestForm } from './commands.ts';
import { type Expected, type Limit, type ModelKey, ValidationModel } from './validation-model.ts';

const ORIGIN = 'app.example.com';

/** Runs each command on the service and on the model, and compares the results. */
export class ComparedService {
  readonly #app: TestApp;
  readonly #projectId: string;
  readonly #model = new ValidationModel();
  /** Every value ever created, including those of erased and rotated keys. */
  readonly #values: string[] = [];
  readonly #ids: string[] = [];
  validations = 0;

  private constructor(app: TestApp, projectId: string) {
    this.#app = app;
    this.#projectId = projectId;
    this.#values.push(`${projectId}-never-made`);
  }

  static async begin(app: TestApp): Promise<ComparedService> {
    const project = await app.client.post('/projects', { name: 'modelled' });
    return new ComparedService(app, project.body.id);
  }

  async run(command: Command): Promise<void> {
    switch (command.kind) {
      case 'create':
        return this.#create(command);
      case 'wait':
        this.#app.clock.now += command.ms;
        return;
      case 'validate':
        for (let n = 0; n < command.times; n++) await this.#validate(command);
        return;
      case 'delete project':
      case 'reactivate project':
        return this.#changeProject(command.kind === 'reactivate project');
      default:
        return this.#changeKey(command);
    }
  }

  get #now(): number {
    return this.#app.clock.now;
  }

  #limitOf = (limit: number | null, ttl: number): Limit | null =>
    limit === null ? null : { rateLimit: limit, rateLimitTtl: ttl };

  #expiryOf = (expiresIn: number | null): string | null =>
    expiresIn === null ? null : new Date(this.#now + expiresIn).toISOString();

  #customValueOf = (customValue: number): string => `${this.#projectId}-custom-${customValue}`;

  async #create(command: Extract<Command, { kind: 'create' }>): Promise<void> {
    const { limit, ttl, expiresIn, domains, customValue } = command;
    const { startsIn, addresses, permissions } = command;
    const value = customValue === null ? null : this.#customValueOf(customValue);
    const response = await this.#app.client.post('/api-keys', {
      name: 'made',
      projectId: this.#projectId,
      ...(value !== null && { key: value }),
      expiry: this.#expiryOf(expiresIn),
      rateLimitConfigs: this.#limitOf(limit, ttl),
      allowedDomains: domains ? [ORIGIN] : null,
      startsAt: this.#expiryOf(startsIn),
      allowedIPs: addresses,
      permissions,
    });
    if (!this.#model.projectActive) return expectError(response, 409, 'project_inactive');
    if (value !== null && this.#model.byValue(value))
      return expectError(response, 409, 'key_exists');
    expect(response.status).toBe(201);
    const { id, key } = response.body;
    this.#keep(id, key);
    this.#model.keys.set(id, {
      id,
      value: key,
      name: 'made',
      isActive: true,
      expiresAt: expiresIn === null ? null : this.#now + expiresIn,
      limit: this.#limitOf(limit, ttl),
      domains: domains ? [ORIGIN] : null,
      startsAt: startsIn === null ? null : this.#now + startsIn,
      addresses,
      permissions,
      group: id,
    });
  }

  #keep(id: string, value: string): void {
    this.#ids.push(id);
    if (!this.#values.includes(value)) this.#values.push(value);
  }

  async #changeProject(isActive: boolean): Promise<void> {
    const path = `/projects/${this.#projectId}`;
    const { client } = this.#app;
    const response = await (isActive ? client.patch(`${path}/reactivate`) : client.delete(path));
    expect(response.status).toBe(200);
    this.#model.projectActive = isActive;
  }

  async #changeKey(
    command: Extract<Command, { kind: 'update' | 'revoke' | 'reactivate' | 'erase' | 'rotate' }>,
  ): Promise<void> {
    if (this.#ids.length === 0) return;
    const id = fromNewest(this.#ids, command.key);
    const key = this.#model.keys.get(id);
    const { client } = this.#app;
    const path = `/api-keys/${id}`;
    if (command.kind === 'update') return this.#update(command, id, key);
    if (command.kind === 'rotate') return this.#rotate(command.grace, id, key);
    const response = await (command.kind === 'reactivate'
      ? client.patch(`${path}/reactivate`)
      : client.delete(command.kind === 'erase' ? `${path}?permanent=true` : path));
    if (key === undefined) return expectError(response, 404, 'key_not_found');
    expect(response.status).toBe(200);
    if (command.kind === 'erase') this.#model.keys.delete(id);
    else key.isActive = command.kind === 'reactivate';
  }

  async #update(
    { limit, ttl, expiresIn, customValue, ...policies }: Extract<Command, { kind: 'update' }>,
    id: string,
    key: ModelKey | undefined,
  ): Promise<void> {
    const value = customValue === undefined ? undefined : this.#customValueOf(customValue);
    const name = `renamed at ${this.#now}`;
    const response = await this.#app.client.patch(`/api-keys/${id}`, {
      name,
      ...(value !== undefined && { key: value }),
      ...(expiresIn !== undefined && { expiry: this.#expiryOf(expiresIn) }),
      ...(limit !== undefined && { rateLimitConfigs: this.#limitOf(limit, ttl) }),
      permissions: policies.permissions,
      allowedIPs: policies.addresses,
    });
    if (key === undefined) return expectError(response, 404, 'key_not_found');
    const owner = value === undefined ? undefined : this.#model.byValue(value);
    if (owner !== undefined && owner !== key) return expectError(response, 409, 'key_exists');
    expect(response.status).toBe(200);
    key.name = name;
    if (value !== undefined) {
      key.value = value;
      if (!this.#values.includes(value)) this.#values.push(value);
    }
    if (expiresIn !== undefined) key.expiresAt = expiresIn === null ? null : this.#now + expiresIn;
    if (limit !== undefined) key.limit = this.#limitOf(limit, ttl);
    if (policies.permissions !== undefined) key.permissions = policies.permissions;
    if (policies.addresses !== undefined) key.addresses = policies.addresses;
  }

  async #rotate(graceSeconds: number, id: string, key: ModelKey | undefined): Promise<void> {
    const response = await this.#app.client.post(`/api-keys/${id}/rotate`, { graceSeconds });
    if (key === undefined) return expectError(response, 404, 'key_not_found');
    if (!this.#model.projectActive) return expectError(response, 409, 'project_inactive');
    const { expiresAt } = this.#model.latest(key);
    const isOver = expiresAt !== null && expiresAt <= this.#now;
    if (this.#model.isDead(key, this.#now) || isOver)
      return expectError(response, 409, 'key_inactive');
    expect(response.status).toBe(201);
    const made = { id: response.body.id, value: response.body.key };
    this.#keep(made.id, made.value);
    this.#model.rotate(key, made, graceSeconds, this.#now);
  }

  async #validate(command: Extract<Command, { kind: 'validate' }>): Promise<void> {
    const value = fromNewest(this.#values, command.value);
    const origin = command.origin ? ORIGIN : undefined;
    const { clientIP, required, cost } = command;
    const conditions = { origin, clientIP, required: required ?? [], cost: cost ?? 1 };
    const expected = this.#model.validate(value, conditions, this.#now);
    const headers: Record<string, string> = command.origin ? { 'x-origin-domain': ORIGIN } : {};
    this.validations++;
    if (command.form === 'batch') {
      const response = await this.#app.client.post(
        '/api-keys/auth',
        // The batch requires the first permission, and this key all of them.
        {
          keys: [{ key: value, permissions: required, cost }],
          permissions: required?.[0],
          clientIP,
        },
        headers,
      );
      return expectResult(response.body[0], expected);
    }
    const response = await this.#send(command.form, value, command, headers);
    expect([response.status, response.body.code ?? 'valid']).toEqual([
      expected.status,
      expected.code,
    ]);
    if (expected.key) expectRecord(response.body, expected.key);
    expectHeaders(response, expected);
  }

  #send(
    form: Exclude<RequestForm, 'batch'>,
    value: string,
    { clientIP, required, cost }: Extract<Command, { kind: 'validate' }>,
    headers: Record<string, string>,
  ) {
    const { client } = this.#app;
    const fields = { permissions: required, clientIP, cost };
    if (form === 'body') return client.post('/api-keys/auth', { key: value, ...fields }, headers);
    if (form === 'old form')
      return client.post(
        '/auth/authenticate',
        { credentials: { api_key: value }, ...fields },
        headers,
      );
    const query = new URLSearchParams(required?.map((name) => ['permission', name]));
    if (clientIP !== undefined) query.set('ip', clientIP);
    if (cost !== undefined) query.set('cost', String(cost));
    return client.post(`/api-keys/auth/${value}?${query}`, undefined, headers);
  }
}

const fromNewest = (items: readonly string[], index: number): string =>
  items.at(-1 - (index % items.length))!;

function expectError(response: TestResponse, status: number, code: string): void {
  expect([response.status, response.body.code]).toEqual([status, code]);
}

function expectRecord(record: Record<string, unknown>, key: ModelKey): void {
  const expiresAt = key.expiresAt === null ? null : new Date(key.expiresAt).toISOString();
  const { id, name, limit } = key;
  expect(record).toMatchObject({ id, name, isActive: true, expiresAt, rateLimitConfigs: limit });
  expect(record.key).not.toBe(key.value);
}

const HEADERS = [
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-consumed',
  'ratelimit-reset',
  'retry-after-seconds',
];

function expectHeaders({ headers }: TestResponse, { limit, status, neverFits }: Expected): void {
  const found = HEADERS.map((name) => headers.get(name));
  const wanted = limit && [
    limit.limit,
    limit.remaining,
    limit.consumed,
    limit.reset,
    limit.retryAfterSeconds,
  ];
  expect(found).toEqual(wanted?.map(String) ?? HEADERS.map(() => null));
  const mayRetry = status === 429 && !neverFits;
  const wait = mayRetry ? String(Math.ceil(limit!.retryAfterSeconds)) : null;
  expect(headers.get('retry-after')).toBe(wait);
}

function expectResult(result: Record<string, unknown>, expected: Expected): void {
  const { status, code, limit, key } = expected;
  expect(result).toMatchObject({ valid: status === 200, statusCode: status, code });
  expect(result.rateLimit).toEqual(limit);
  if (key) expectRecord(result.record as Record<string, unknown>, key);
  else expect(result.record).toBeUndefined();
}
