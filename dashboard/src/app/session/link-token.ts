import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** Of links that were opened since the page was loaded: whoever signs in first comes back to it. */
const taken = new Map<string, string>();

/**
 * The one-time token of the link that led here. It stands behind the `#`, which is never sent, and
 * is taken out of the address at once, so that the history does not keep it.
 */
export function useLinkToken(): string | null {
  const { pathname } = useLocation();
  const [token] = useState(() => {
    const found = new URLSearchParams(location.hash.slice(1)).get('token');
    if (found !== null) taken.set(pathname, found);
    return found ?? taken.get(pathname) ?? null;
  });
  const navigate = useNavigate();
  useEffect(() => {
    if (location.hash !== '') void navigate({ to: '.', hash: '', replace: true, search: true });
  }, [navigate]);
  return token;
}

/** Used: not to be offered again. */
export const forgetLinkTokens = (): void => taken.clear();
