/** The configured identity providers. */
export interface LoginProviders {
  readonly github?: { readonly clientId: string; readonly clientSecret: string };
  readonly google?: { readonly clientId: string; readonly clientSecret: string };
  readonly oidc?: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string;
    /** The label of the button. */
    readonly name: string;
  };
}

export const OIDC = 'oidc';
/** better-auth's provider id of a password. */
export const PASSWORD = 'credential';
/** Shows the `error` that a failed sign-in adds to its URL. */
export const LOGIN_PAGE = '/dashboard/login';

/** Id and name of each provider, in the order of the sign-in page. */
export function providersOf(set: LoginProviders): { id: string; name: string }[] {
  return [
    ...(set.oidc ? [{ id: OIDC, name: set.oidc.name }] : []),
    ...(set.github ? [{ id: 'github', name: 'GitHub' }] : []),
    ...(set.google ? [{ id: 'google', name: 'Google' }] : []),
  ];
}
