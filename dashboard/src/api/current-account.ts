let accountId: string | null = null;

/** Said by the routes when they open a page: calls are about this account until the next one. */
export function setCurrentAccount(id: string | null): void {
  accountId = id;
}

export const currentAccount = (): string | null => accountId;
