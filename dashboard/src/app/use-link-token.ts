import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * The one-time token of the link that led here. It stands behind the `#`, which is never sent, and
 * is taken out of the address at once, so that the history does not keep it.
 */
export function useLinkToken(): string | null {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token'));
  const navigate = useNavigate();
  useEffect(() => {
    if (token !== null) void navigate({ to: '.', hash: '', replace: true, search: true });
  }, [token, navigate]);
  return token;
}
