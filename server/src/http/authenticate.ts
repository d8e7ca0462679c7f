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

  constructor(parts: { keyring: Keyring; secrets: Secrets; tally: UsageTally; clock: Clock }) {
    this.#keyring = parts.keyring;
    this.#secrets = parts.secrets;
    this.#tally = parts.tally;
    this.#clock = parts.clock;
  }

  async authenticate(request: Request): Promise<Principal> {
    const operator = request.headers['x-keyward-operator'];
    if (operator !== undefined) return this.#operator(request, String(operator));
    const credential = credentialIn(request.headers);
    const key = this.#keyring.held(credential) ?? (await this.#keyring.find(credential));
    if (key === null) throw unauthorised('credential_invalid');
    const now = this.#clock();
    const refusal = key.refusal(now);
    if (refusal !== null) throw unauthorised(refusal);
    this.#tally.accessKeyUsed(key, now);
    return key;
  }

  /**
   * The CLI on the same machine shows that it knows the root secret by signing the time and the
   * call: what is overheard on the way is of no use for another call, nor a minute later.
   */
  #operator({ method, url }: Request, header: string): Principal {
    const [time = '', signature = ''] = header.split('.', 2);
    const age = Math.abs(this.#clock() - Number(time));
    const expected = this.#secrets.signOperator(`${time}.${method}.${url}`);
    if (!(age <= OPERATOR_WINDOW_MS) || !sameText(signature, expected))
      throw unauthorised(
        'credential_invalid',
        'The operator signature is wrong or older than a minute: is this the data directory of the running server, and its clock right?',
      );
    return OPERATOR;
  }
}
