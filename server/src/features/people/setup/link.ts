/** Where the first owner of an account introduces themself. The fragment stays in the browser. */
export const setupLink = (publicUrl: string, token: string): string =>
  `${publicUrl.replace(/\/+$/, '')}/dashboard/setup#token=${token}`;
