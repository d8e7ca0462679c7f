/** Other places where a person may prove who they are, as far as they are set up. */
export interface LoginProviders {
  readonly github?: { readonly clientId: string; readonly clientSecret: string };
  readonly google?: { readonly clientId: string; readonly clientSecret: string };
  readonly oidc?: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string;
    /** What the button says. */
    readonly name: string;
  };
}

export const OIDC = 'oidc';

/** Id and name of each, in the order in which the page shows them. */
export function providersOf(set: LoginProviders): { id: string; name: string }[] {
  return [
    ...(set.oidc ? [{ id: OIDC, name: set.oidc.name }] : []),
    ...(set.github ? [{ id: 'github', name: 'GitHub' }] : []),
    ...(set.google ? [{ id: 'google', name: 'Google' }] : []),
  ];
}
