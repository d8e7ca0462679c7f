import { KeywardError } from '../../../../kernel/errors.ts';
import { RawResponse } from '../../../../kernel/route.ts';
import { personOf } from '../../person.ts';
import type { Auth } from '../better-auth/auth.ts';
import { type AuthCalls, type LoginCall, withCookies } from '../better-auth/calls.ts';
import type { Confirmation } from '../sessions/confirmation.ts';
import type { SignInLimits } from '../sign-in/limits.ts';
import type { SignInService } from '../sign-in/service.ts';
import { type LoginProviders, providersOf } from './settings.ts';

const HOME = '/dashboard/';
const FAILED = '/dashboard/login';

interface Parts {
  readonly calls: AuthCalls;
  readonly limits: SignInLimits;
  readonly providers: LoginProviders;
  readonly signIn: SignInService;
  readonly confirmation: Confirmation;
}

/** Signs people in through an identity provider: OIDC, GitHub, Google. */
export class ProviderService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the URL that the browser must visit. */
  async begin(call: LoginCall, provider: string): Promise<RawResponse> {
    this.#requireConfigured(provider);
    await this.#parts.limits.unguessable('provider', call.actor.clientAddress);
    return this.#begin(call, (auth, headers) =>
      auth.api.signInSocial({
        body: { provider, callbackURL: HOME, errorCallbackURL: FAILED, disableRedirect: true },
        headers,
        returnHeaders: true,
      }),
    );
  }

  /** The same, to link the login to the signed-in person. */
  async link(call: LoginCall, provider: string): Promise<RawResponse> {
    this.#requireConfigured(provider);
    await this.#parts.confirmation.requireRecent(personOf(call.actor));
    return this.#begin(call, (auth, headers) =>
      auth.api.linkSocialAccount({
        body: { provider, callbackURL: HOME, errorCallbackURL: FAILED, disableRedirect: true },
        headers,
        returnHeaders: true,
      }),
    );
  }

  /** The provider sends the browser back here; it is redirected to the dashboard, with or without a session. */
  async finish(
    call: LoginCall,
    provider: string,
    query: Record<string, string>,
  ): Promise<RawResponse> {
    this.#requireConfigured(provider);
    await this.#parts.limits.unguessable('provider', call.actor.clientAddress);
    const { response, cookies } = await this.#parts.calls.run(call, async (auth, headers) => {
      const response = await auth.api.callbackOAuth({
        method: 'GET',
        params: { id: provider },
        query,
        headers,
        asResponse: true,
      });
      return { response, headers: response.headers };
    });
    const added = await this.#parts.signIn.recordEntry(call, cookies, provider);
    const location = response.headers.get('location') ?? FAILED;
    const headers = ['location', location, ...cookies, ...added];
    return new RawResponse({ status: 302, headers, body: '' });
  }

  /** If the provider was unavailable when its configuration was loaded, loads it again. */
  async #begin(
    call: LoginCall,
    work: (
      auth: Auth,
      headers: Headers,
    ) => Promise<{ headers: Headers; response: { url?: string } }>,
  ): Promise<RawResponse> {
    const ask = () => this.#parts.calls.run(call, work);
    const { response, cookies } = await ask().catch((error: unknown) => {
      if (!(error instanceof KeywardError) || error.code !== 'provider_not_found') throw error;
      this.#parts.calls.forget();
      return ask();
    });
    return withCookies({ url: response.url }, cookies);
  }

  #requireConfigured(provider: string): void {
    if (!providersOf(this.#parts.providers).some(({ id }) => id === provider))
      throw new KeywardError('provider_not_found');
  }
}
