import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { CredentialChecks, Keyring } from '../../features/access-keys/index.ts';
import type { UsageTally } from '../../features/analytics/index.ts';
import type { UsedSignatures } from '../../features/changes/index.ts';
import { hasSession, type Sessions } from '../../features/people/index.ts';
import type { PortalSessions } from '../../features/portal/index.ts';
import type {
  OperatorPrincipal,
  PortalPrincipal,
  Principal,
  UserPrincipal,
} from '../../kernel/authority.ts';
import type { Route } from '../../kernel/route.ts';
import { type Secrets, sameText } from '../../kernel/secrets/crypto.ts';
import { isPortalToken } from '../../kernel/secrets/key-values.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { credentialIn, unauthorized } from './credentials.ts';

const OPERATOR_WINDOW_MS = 60_000;
const SEND_PORTAL_TOKEN =
  'Send the token of a portal session in the header Authorization: Bearer, without x-api-key.';
const EMPTY_BODY_HASH = hash('sha256', '', 'base64url');
const OPERATOR: OperatorPrincipal = { kind: 'operator', id: 'operator' };

interface Request {
  readonly method: string;
  readonly url: string;
  /** The address of the client; undefined once it has disconnected. */
  readonly ip: string | undefined;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly query: unknown;
  readonly params: unknown;
}

interface Parts {
  readonly keyring: Keyring;
  readonly checks: CredentialChecks;
  readonly sessions: Sessions;
  readonly portalSessions: PortalSessions;
  readonly secrets: Secrets;
  readonly tally: UsageTally;
  readonly usedSignatures: UsedSignatures;
  readonly clock: Clock;
}

/** Finds out who is calling, or throws 401. Permissions are checked later. */
export class Authenticator {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async authenticate(request: Request, route: Route): Promise<Principal> {
    const { headers, ip } = request;
    if (route.access === 'portal') return this.#customer(request);
    const operator = headers['x-keyward-operator'];
    if (operator !== undefined) return this.#operator(request, String(operator));
    if (mayBePerson(headers, route)) return this.#person(request, route);
    const credential = credentialIn(headers, route.credentialHeader);
    const key =
      this.#parts.keyring.cached(credential) ?? (await this.#parts.keyring.find(credential, ip));
    if (key === null) throw unauthorized('credential_invalid');
    const now = this.#parts.clock();
    const refusal = key.refusal(now);
    if (refusal !== null) throw unauthorized(refusal);
    this.#parts.tally.accessKeyUsed(key, now);
    return key;
  }

  /** Accepts only the token of a portal session. Other credentials could allow more than the page shows. */
  async #customer({ headers, ip }: Request): Promise<PortalPrincipal> {
    if (headers['x-api-key'] !== undefined || headers.authorization === undefined)
      throw unauthorized('credential_missing', SEND_PORTAL_TOKEN);
    const token = credentialIn(headers);
    if (!isPortalToken(token)) throw unauthorized('credential_invalid', SEND_PORTAL_TOKEN);
    const { checks, portalSessions, clock } = this.#parts;
    const session = await checks.run(ip, () => portalSessions.find(token, clock()));
    if (session === null)
      throw unauthorized(
        'session_invalid',
        'This portal session has ended. Open the portal again.',
      );
    return session;
  }

  async #person(request: Request, route: Route): Promise<UserPrincipal> {
    const { headers, ip } = request;
    const { checks, sessions, clock } = this.#parts;
    const person = await checks.run(ip, () => sessions.signedIn(headers, clock()));
    if (person === null)
      throw unauthorized(hasSession(headers) ? 'session_invalid' : 'credential_missing');
    if (route.access === 'person' || route.personal) return sessions.personal(person);
    return sessions.member(person, requestedAccount(request, route));
  }

  /**
   * The CLI proves that it knows the root secret by signing the time, the request and its body. An
   * intercepted signature works for no other request, and not a second time.
   */
  async #operator({ method, url, headers }: Request, header: string): Promise<Principal> {
    const [time = '', nonce = '', bodyHash = '', signature = ''] = header.split('.', 4);
    const now = this.#parts.clock();
    const age = Math.abs(now - Number(time));
    const expected = this.#parts.secrets.signOperator(
      `${time}.${nonce}.${method}.${url}.${bodyHash}`,
    );
    const isOurs = age <= OPERATOR_WINDOW_MS && sameText(signature, expected);
    if (!isOurs || !(await this.#isFirst(signature, now)))
      throw unauthorized(
        'credential_invalid',
        'The operator signature is invalid, already used, or older than a minute. Use the data directory of the running server, and check the clock.',
      );
    if (!isBodyParsed(method, headers) && bodyHash !== EMPTY_BODY_HASH) throw otherBody();
    return OPERATOR;
  }

  /** Each signature is valid once, and is remembered until it expires. */
  #isFirst(signature: string, now: number): Promise<boolean> {
    return this.#parts.usedSignatures.use(OPERATOR.id, signature, now + 2 * OPERATOR_WINDOW_MS);
  }
}

/**
 * A request with an access key is not from a person. Neither is a request from a gateway, whose cookies
 * belong to the gateway's user.
 */
const mayBePerson = (headers: Request['headers'], route: Route): boolean =>
  headers['x-api-key'] === undefined &&
  headers.authorization === undefined &&
  headers.cookie !== undefined &&
  route.credentialHeader === undefined;

/** The account of a person's request, from the header, the query or the path. */
function requestedAccount({ headers, query, params }: Request, route: Route): string | undefined {
  const header = headers['x-keyward-account'];
  if (header !== undefined) return String(header);
  const named = (query as { accountId?: unknown }).accountId;
  if (typeof named === 'string') return named;
  return route.path.startsWith('/accounts/:id') ? (params as { id: string }).id : undefined;
}

/** If not, `checkSignedBody` will not be called. */
const isBodyParsed = (method: string, headers: Request['headers']): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

const otherBody = () => unauthorized('credential_invalid', 'The signature is for another body.');

/** Checks that the body is the one that the operator signed. */
export function checkSignedBody(request: FastifyRequest, body: Buffer): void {
  if (request.principal?.kind !== 'operator') return;
  const [, , signed] = String(request.headers['x-keyward-operator']).split('.', 4);
  if (signed !== hash('sha256', body, 'base64url')) throw otherBody();
}
