'use client';

import { KeywardPortal } from 'keyward/react';
import { useRouter } from 'next/navigation';
import 'keyward/react.css';

export function Portal({ url, token }: { url: string; token: string }) {
  const router = useRouter();
  // Renders the page again on the server, which creates a new session.
  return <KeywardPortal url={url} token={token} onExpired={() => router.refresh()} />;
}
