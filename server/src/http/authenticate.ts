import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Keyring } from '../features/access-keys/index.ts';
import type { UsageTally } from '../features/analytics/index.ts';
import type { OperatorPrincipal, Principal } from '../kernel/authority.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Secrets, sameText } from '../kernel/crypto.ts';
import { credentialIn, unauthorised } from './credentials.ts';

const OPERATOR_WINDOW_MS = 60_000;
const OPERATOR: OperatorPrincipal = { kind: 'operator', id: 'operator' };

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | string[] | undefined>;
}

/** Who is calling. Throws 401; what they may do is asked later. */
export class Authenticator {
  readonly #keyring: Keyring;
  readonly #secrets: Secrets;
  readonly #tally: UsageTally;
  readonly #clock: Clock;
  readonly #usedSignatures = new Map<string, number>();

  constructor(parts: { keyring: Keyring; secrets: Secrets; tally: UsageTally; clock: Clock }) {
    this.#keyring = parts.keyring;
    this.#secrets = parts.secrets;
    this.#tally = parts.tally;
    this.#clock = parts.clock;
  }

  async authenticate(request: Request, credentialHeader?: string): Promise<Principal> {
    const operator = request.headers['x-keyward-operator'];
    if (operator !== undefined) return this.#operator(request, String(operator));
    const credential = credentialIn(request.headers, credentialHeader);
    const key = this.#keyring.held(credential) ?? (await this.#keyring.find(credential));
    if (key === null) throw unauthorised('credential_invalid');
    const now = this.#clock();
    const refusal = key.refusal(now);
    if (refusal !== null) throw unauthorised(refusal);
    this.#tally.accessKeyUsed(key, now);
    return key;
  }

  /**
   * The CLI on the same machine shows that it knows the root secret by signing the time, the call
   * and its body: what is overheard on the way is of no use for another call, nor a second time.
   */
  #operator({ method, url }: Request, header: string): Principal {
    const [time = '', nonce = '', bodyHash = '', signature = ''] = header.split('.', 4);
    const now = this.#clock();
    const age = Math.abs(now - Number(time));
    const expected = this.#secrets.signOperator(`${time}.${nonce}.${method}.${url}.${bodyHash}`);
    const isOurs = age <= OPERATOR_WINDOW_MS && sameText(signature, expected);
    if (!isOurs || this.#isUsed(signature, now))
      throw unauthorised(
        'credential_invalid',
        'The operator signature is wrong, used or older than a minute: is this the data directory of the running server, and its clock right?',
      );
    return OPERATOR;
  }

  /** Each signature serves once; it is remembered for as long as its time would be taken. */
  #isUsed(signature: string, now: number): boolean {
    for (const [used, until] of this.#usedSignatures)
      if (until < now) this.#usedSignatures.delete(used);
    if (this.#usedSignatures.has(signature)) return true;
    this.#usedSignatures.set(signature, now + 2 * OPERATOR_WINDOW_MS);
    return false;
  }
}

/** The body that came must be the one that was signed. Called when it has been read. */
export function refuseOtherBody(request: FastifyRequest, body: Buffer): void {
  if (request.principal?.kind !== 'operator') return;
  const [, , signed] = String(request.headers['x-keyward-operator']).split('.', 4);
  if (signed !== hash('sha256', body, 'base64url'))
    throw unauthorised('credential_invalid', 'This body is not the one that was signed.');
}
