import type { Actor } from '../../../../kernel/actor.ts';
import { KeywardError } from '../../../../kernel/errors.ts';
import { RawResponse } from '../../../../kernel/route.ts';
import { isoTime } from '../../../../kernel/time/clock.ts';
import type { Storage } from '../../../../storage/index.ts';
import { personOf } from '../../person.ts';
import type { Auth } from '../better-auth/auth.ts';
import { type AuthCalls, type LoginCall, withCookies } from '../better-auth/calls.ts';
import type { LinkedProvider } from '../schema.ts';
import type { SecurityLog } from '../security-log.ts';
import type { Confirmation } from '../sessions/confirmation.ts';
import type { SignInLimits } from '../sign-in/limits.ts';
import type { SignInService } from '../sign-in/service.ts';
import { LOGIN_PAGE, type LoginProviders, PASSWORD, providersOf } from './settings.ts';

const HOME = '/dashboard/';
const SETTINGS = '/dashboard/settings';

interface Parts {
  readonly storage: Storage;
  readonly log: SecurityLog;
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
    await this.#parts.limits.countUnguessable('provider', call.actor.clientAddress);
    return this.#begin(call, (auth, headers) =>
      auth.api.signInSocial({
        body: { provider, callbackURL: HOME, errorCallbackURL: LOGIN_PAGE, disableRedirect: true },
        headers,
        returnHeaders: true,
      }),
    );
  }

  /** Like `begin`, but links the provider to the signed-in person. */
  async link(call: LoginCall, provider: string): Promise<RawResponse> {
    this.#requireConfigured(provider);
    await this.#parts.confirmation.requireRecent(personOf(call.actor));
    return this.#begin(call, (auth, headers) =>
      auth.api.linkSocialAccount({
        body: {
          provider,
          callbackURL: SETTINGS,
          errorCallbackURL: SETTINGS,
          disableRedirect: true,
        },
        headers,
        returnHeaders: true,
      }),
    );
  }

  /** Everyone also has a password, so no one loses their last sign-in method. */
  async unlink(actor: Actor, provider: string): Promise<void> {
    await this.#parts.confirmation.requireRecent(personOf(actor));
    const userId = actor.principal.id;
    const about = { provider };
    await this.#parts.log.change(actor, userId, 'user.provider-unlinked', about, async ({ tx }) => {
      const { numDeletedRows } = await tx
        .deleteFrom('credentials')
        .where('user_id', '=', userId)
        .where('provider_id', '=', provider)
        .where('provider_id', '!=', PASSWORD)
        .executeTakeFirst();
      if (numDeletedRows === 0n)
        throw new KeywardError('provider_not_found', 'This provider is not linked to your login.');
    });
  }

  async listLinked(userId: string): Promise<LinkedProvider[]> {
    const rows = await this.#parts.storage.point
      .selectFrom('credentials')
      .select(({ fn }) => ['provider_id', fn.min('created_at').as('created_at')])
      .where('user_id', '=', userId)
      .where('provider_id', '!=', PASSWORD)
      .groupBy('provider_id')
      .orderBy('provider_id')
      .execute();
    const configured = providersOf(this.#parts.providers);
    return rows.map(({ provider_id: id, created_at }) => ({
      id,
      name: configured.find((each) => each.id === id)?.name ?? id,
      createdAt: isoTime(created_at),
    }));
  }

  /** The provider sends the browser back here. We redirect it to the dashboard, signed in or not. */
  async finish(
    call: LoginCall,
    provider: string,
    query: Record<string, string>,
  ): Promise<RawResponse> {
    this.#requireConfigured(provider);
    await this.#parts.limits.countUnguessable('provider', call.actor.clientAddress);
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
    const added = await this.#parts.signIn.recordProviderSignIn(call, cookies, provider);
    const location = response.headers.get('location') ?? LOGIN_PAGE;
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
