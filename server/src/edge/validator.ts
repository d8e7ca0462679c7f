import type { Conditions } from '@keyward/rules/check-key.ts';
import { canBeKey, type Decision, isLocal } from 'keyward/internal';
import type { Forwarded } from '../http/hot-path/index.ts';
import { type ErrorCode, KeywardError } from '../kernel/errors.ts';
import { ResponseBudget } from '../kernel/response-budget.ts';
import type { RouteResponse } from '../kernel/route.ts';
import type { Caller, Callers } from './callers.ts';
import { type Upstream, type UpstreamRequest, UpstreamUnavailable } from './upstream.ts';
import { bodyOf, type EdgeVerdict, verdictOf } from './verdicts.ts';

export type Outcome = EdgeVerdict['kind'] | ErrorCode | 'forwarded' | 'failed';

export interface EdgeValidatorParts {
  readonly upstream: Upstream;
  readonly callers: Callers;
}

/** Validates keys with the `Decider` of the caller, and asks the server if the decider cannot decide. */
export class EdgeValidator {
  readonly #parts: EdgeValidatorParts;
  /** Validations since the start, by result. */
  readonly outcomes: Partial<Record<Outcome, number>> = {};
  /** Memory of batch responses, for each access key. */
  readonly responses = new ResponseBudget();

  constructor(parts: EdgeValidatorParts) {
    this.#parts = parts;
  }

  /** `forward`: how to send the request to the server. Default: as `POST /api-keys/auth`. */
  validate(
    caller: Caller,
    value: string,
    conditions: Conditions,
    forward?: () => Promise<RouteResponse>,
  ): EdgeVerdict | Promise<EdgeVerdict | Forwarded> {
    const decision = this.decide(caller, value, conditions);
    if (decision instanceof Promise)
      return decision.then((late) =>
        late === 'ask'
          ? this.#ask(caller, value, conditions, forward)
          : this.counted(verdictOf(late)),
      );
    return decision === 'ask'
      ? this.#ask(caller, value, conditions, forward)
      : this.counted(verdictOf(decision));
  }

  decide(caller: Caller, value: string, conditions: Conditions): Decision | Promise<Decision> {
    if (!this.#parts.upstream.knowsPublicUrl || !isLocal(conditions)) return 'ask';
    return caller.decider.decide(value, conditions);
  }

  /** Decides about a cached key while the server is unavailable; null if that is not possible. */
  validateStale(caller: Caller, value: string, conditions: Conditions): EdgeVerdict | null {
    if (!isLocal(conditions)) return null;
    const decision = caller.decider.decideStale(value, conditions);
    return decision === 'ask' ? null : this.counted(verdictOf(decision));
  }

  /** Sends a validation to the server. Throws UpstreamUnavailable. */
  async forward(
    { accessKey }: Caller,
    body: string,
    { origin, isBatch }: Pick<Conditions, 'origin'> & Pick<UpstreamRequest, 'isBatch'>,
  ): Promise<RouteResponse> {
    const response = await this.#parts.upstream.send({
      method: 'POST',
      path: '/api-keys/auth',
      headers: {
        'x-api-key': accessKey,
        ...(origin !== undefined && { 'x-origin-domain': origin }),
      },
      body,
      ...(isBatch && { isBatch }),
    });
    this.dropIfRefused(accessKey, response);
    return response;
  }

  /** Forgets a caller whose access key the server refuses. */
  dropIfRefused(accessKey: string, { status, body }: RouteResponse): void {
    if (status === 401 || (status === 403 && body.includes('"code":"scope_missing"')))
      this.#parts.callers.drop(accessKey);
  }

  count(outcome: Outcome): void {
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
  }

  counted(verdict: EdgeVerdict): EdgeVerdict {
    this.count(verdict.kind === 'refused' ? verdict.code : verdict.kind);
    return verdict;
  }

  async #ask(
    caller: Caller,
    value: string,
    conditions: Conditions,
    forward: (() => Promise<RouteResponse>) | undefined,
  ): Promise<EdgeVerdict | Forwarded> {
    // The server would reject a body with this value, instead of refusing the key.
    if (!canBeKey(value)) {
      if (!this.#parts.upstream.knowsPublicUrl)
        throw unavailable('The public URL of the server is not known yet.');
      return this.counted({ kind: 'refused', code: 'key_malformed' });
    }
    try {
      const response = await (forward === undefined
        ? this.forward(caller, bodyOf(value, conditions), conditions)
        : forward());
      this.count('forwarded');
      return { kind: 'forwarded', response };
    } catch (error) {
      if (!(error instanceof UpstreamUnavailable)) throw error;
      const verdict = this.validateStale(caller, value, conditions);
      if (verdict === null) throw unavailable(error);
      return verdict;
    }
  }
}

export const unavailable = (cause: unknown): KeywardError =>
  new KeywardError('keyward_unavailable', undefined, { headers: ['Retry-After', '1'], cause });
