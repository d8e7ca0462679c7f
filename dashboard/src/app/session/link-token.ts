import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** Tokens by path, kept while the user signs in and returns to the page. */
const tokens = new Map<string, string>();

/**
 * The one-time token of the link that opened this page. It is in the fragment (`#`), which is never
 * sent to the server, and is removed from the URL immediately to keep it out of the history.
 */
export function useLinkToken(): string | null {
  const { pathname } = useLocation();
  const [token] = useState(() => {
    const found = new URLSearchParams(location.hash.slice(1)).get('token');
    if (found !== null) tokens.set(pathname, found);
    return found ?? tokens.get(pathname) ?? null;
  });
  const navigate = useNavigate();
  useEffect(() => {
    if (location.hash !== '') void navigate({ to: '.', hash: '', replace: true, search: true });
  }, [navigate]);
  return token;
}

/** Called when a token has been used. */
export const forgetLinkTokens = (): void => tokens.clear();
