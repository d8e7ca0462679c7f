/**
 * The token is in the fragment of the link, which browsers do not send. It is removed from the address
 * bar and the history, and kept in memory only: after a reload, a new link is needed.
 */
export function takeToken(): string | null {
  const token = location.hash.slice(1);
  if (!token.startsWith('portal_')) return null;
  history.replaceState(null, '', location.pathname);
  return token;
}

/** The website that opened the page. It is no secret, and a reload keeps it in the history entry. */
export interface Origin {
  readonly returnUrl: string;
  readonly name: string;
}

export const rememberOrigin = (origin: Origin): void =>
  history.replaceState(origin, '', location.pathname);

export function rememberedOrigin(): Origin | null {
  const state: Partial<Origin> | null = history.state;
  return isWebUrl(state?.returnUrl) ? { returnUrl: state.returnUrl, name: state.name ?? '' } : null;
}

/** Other schemes, such as `javascript:`, must not become links. */
const isWebUrl = (url: string | null | undefined): url is string =>
  typeof url === 'string' && /^https?:\/\//i.test(url);

export const originOf = (returnUrl: string | null, name: string | null): Origin | null =>
  isWebUrl(returnUrl) ? { returnUrl, name: name ?? new URL(returnUrl).host } : null;
