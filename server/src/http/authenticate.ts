import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Keyring } from '../features/access-keys/index.ts';
import type { UsageTally } from '../features/analytics/index.ts';
import type { UsedSignatures } from '../features/changes/index.ts';
import { hasSession, type Sessions } from '../features/people/index.ts';
import type { OperatorPrincipal, Principal, UserPrincipal } from '../kernel/authority.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Secrets, sameText } from '../kernel/crypto.ts';
import type { Route } from '../kernel/route.ts';
import { credentialIn, unauthorised } from './credentials.ts';

const OPERATOR_WINDOW_MS = 60_000;
const OPERATOR: OperatorPrincipal = { kind: 'operator', id: 'operator' };

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly query: unknown;
  readonly params: unknown;
}

/** Who is calling. Throws 401; what they may do is asked later. */
export class Authenticator {
  readonly #keyring: Keyring;
  readonly #secrets: Secrets;
  readonly #tally: UsageTally;
  readonly #sessions: Sessions;
  readonly #clock: Clock;
  readonly #usedSignatures: UsedSignatures;

  constructor(parts: {
    keyring: Keyring;
    sessions: Sessions;
    secrets: Secrets;
    tally: UsageTally;
    usedSignatures: UsedSignatures;
    clock: Clock;
  }) {
    this.#keyring = parts.keyring;
    this.#sessions = parts.sessions;
    this.#secrets = parts.secrets;
    this.#tally = parts.tally;
    this.#usedSignatures = parts.usedSignatures;
    this.#clock = parts.clock;
  }

  async authenticate(request: Request, route: Route): Promise<Principal> {
    const { headers } = request;
    const operator = headers['x-keyward-operator'];
    if (operator !== undefined) return this.#operator(request, String(operator));
    if (mayBePerson(headers, route)) return this.#person(request, route);
    const credential = credentialIn(headers, route.credentialHeader);
    const key = this.#keyring.held(credential) ?? (await this.#keyring.find(credential));
    if (key === null) throw unauthorised('credential_invalid');
    const now = this.#clock();
    const refusal = key.refusal(now);
    if (refusal !== null) throw unauthorised(refusal);
    this.#tally.accessKeyUsed(key, now);
    return key;
  }

  async #person(request: Request, route: Route): Promise<UserPrincipal> {
    const { headers } = request;
    const person = await this.#sessions.signedIn(headers, this.#clock());
    if (person === null)
      throw unauthorised(hasSession(headers) ? 'session_invalid' : 'credential_missing');
    if (route.access === 'person' || route.personal) return this.#sessions.personal(person);
    return this.#sessions.member(person, accountNamedBy(request, route));
  }

  /**
   * The CLI on the same machine shows that it knows the root secret by signing the time, the call
   * and its body: what is overheard on the way is of no use for another call, nor a second time.
   */
  async #operator({ method, url }: Request, header: string): Promise<Principal> {
    const [time = '', nonce = '', bodyHash = '', signature = ''] = header.split('.', 4);
    const now = this.#clock();
    const age = Math.abs(now - Number(time));
    const expected = this.#secrets.signOperator(`${time}.${nonce}.${method}.${url}.${bodyHash}`);
    const isOurs = age <= OPERATOR_WINDOW_MS && sameText(signature, expected);
    if (!isOurs || !(await this.#isFirst(signature, now)))
      throw unauthorised(
        'credential_invalid',
        'The operator signature is wrong, used or older than a minute: is this the data directory of the running server, and its clock right?',
      );
    return OPERATOR;
  }

  /** Each signature serves once; it is remembered for as long as its time would be taken. */
  #isFirst(signature: string, now: number): Promise<boolean> {
    return this.#usedSignatures.use(OPERATOR.id, signature, now + 2 * OPERATOR_WINDOW_MS);
  }
}

/** Only when nothing else says who calls; where a gateway asks, cookies are a third party's. */
const mayBePerson = (headers: Request['headers'], route: Route): boolean =>
  headers['x-api-key'] === undefined &&
  headers.authorization === undefined &&
  headers.cookie !== undefined &&
  route.credentialHeader === undefined;

/** The account that a person's call is about: said by the header, the query or the path. */
function accountNamedBy({ headers, query, params }: Request, route: Route): string | undefined {
  const header = headers['x-keyward-account'];
  if (header !== undefined) return String(header);
  const asked = (query as { accountId?: unknown }).accountId;
  if (typeof asked === 'string') return asked;
  return route.path.startsWith('/accounts/:id') ? (params as { id: string }).id : undefined;
}

/** The body that came must be the one that was signed. Called when it has been read. */
export function refuseOtherBody(request: FastifyRequest, body: Buffer): void {
  if (request.principal?.kind !== 'operator') return;
  const [, , signed] = String(request.headers['x-keyward-operator']).split('.', 4);
  if (signed !== hash('sha256', body, 'base64url'))
    throw unauthorised('credential_invalid', 'This body is not the one that was signed.');
}
