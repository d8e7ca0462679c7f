import { KeywardError } from '../../../kernel/errors.ts';
import { type Call, Written } from '../../../kernel/route.ts';
import { personOf } from '../person.ts';
import type { Auth } from './auth.ts';
import { type AuthCalls, withCookies } from './auth-calls.ts';
import type { Confirmation } from './confirmation.ts';
import { type LoginProviders, providersOf } from './providers.ts';
import type { SignIn } from './sign-in.ts';
import type { SignInLimits } from './sign-in-limits.ts';

type Asked = Pick<Call, 'headers' | 'actor'>;

const HOME = '/dashboard/';
const FAILED = '/dashboard/login';

/** Signing in by way of somebody else who knows the person: OIDC, GitHub, Google. */
export class ProviderSignIn {
  readonly #calls: AuthCalls;
  readonly #limits: SignInLimits;
  readonly #providers: LoginProviders;
  readonly #signIn: SignIn;
  readonly #confirmation: Confirmation;

  constructor(parts: {
    calls: AuthCalls;
    limits: SignInLimits;
    providers: LoginProviders;
    signIn: SignIn;
    confirmation: Confirmation;
  }) {
    this.#calls = parts.calls;
    this.#limits = parts.limits;
    this.#providers = parts.providers;
    this.#signIn = parts.signIn;
    this.#confirmation = parts.confirmation;
  }

  /** Where the browser is to go. */
  async begin(call: Asked, provider: string): Promise<Written> {
    this.#demand(provider);
    await this.#limits.unguessable('provider', call.actor.clientAddress);
    return this.#begin(call, (auth, headers) =>
      auth.api.signInSocial({
        body: { provider, callbackURL: HOME, errorCallbackURL: FAILED, disableRedirect: true },
        headers,
        returnHeaders: true,
      }),
    );
  }

  /** The same, to be known there from now on as the person who is signed in here. */
  async link(call: Asked, provider: string): Promise<Written> {
    this.#demand(provider);
    await this.#confirmation.demand(personOf(call.actor));
    return this.#begin(call, (auth, headers) =>
      auth.api.linkSocialAccount({
        body: { provider, callbackURL: HOME, errorCallbackURL: FAILED, disableRedirect: true },
        headers,
        returnHeaders: true,
      }),
    );
  }

  /** Where the browser comes back to; it goes on to the dashboard, with or without a session. */
  async finish(call: Asked, provider: string, query: Record<string, string>): Promise<Written> {
    this.#demand(provider);
    await this.#limits.unguessable('provider', call.actor.clientAddress);
    const { response: answer, cookies } = await this.#calls.run(call, async (auth, headers) => {
      const response = await auth.api.callbackOAuth({
        method: 'GET',
        params: { id: provider },
        query,
        headers,
        asResponse: true,
      });
      return { response, headers: response.headers };
    });
    const added = await this.#signIn.noteEntry(call, cookies, provider);
    const location = answer.headers.get('location') ?? FAILED;
    const headers = ['location', location, ...cookies, ...added];
    return new Written({ status: 302, headers, body: '' });
  }

  /** An issuer that was away when it was first asked is asked again. */
  async #begin(
    call: Asked,
    work: (
      auth: Auth,
      headers: Headers,
    ) => Promise<{ headers: Headers; response: { url?: string } }>,
  ): Promise<Written> {
    const ask = () => this.#calls.run(call, work);
    const { response, cookies } = await ask().catch((error: unknown) => {
      if (!(error instanceof KeywardError) || error.code !== 'provider_not_found') throw error;
      this.#calls.forget();
      return ask();
    });
    return withCookies({ url: response.url }, cookies);
  }

  #demand(provider: string): void {
    if (!providersOf(this.#providers).some(({ id }) => id === provider))
      throw new KeywardError('provider_not_found');
  }
}
