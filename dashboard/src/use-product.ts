import { useEffect, useState } from 'react';

/** One line on the server this page came from. */
export function useProduct(): string {
  const [line, setLine] = useState('Asking the server…');
  useEffect(() => {
    const leaving = new AbortController();
    fetch('/', { headers: { accept: 'application/json' }, signal: leaving.signal })
      .then((response) => response.json())
      .then(({ version }: { version: string }) => setLine(`Version ${version} is running.`))
      .catch(() => {
        if (!leaving.signal.aborted) setLine('The server does not answer. Is it still running?');
      });
    return () => leaving.abort();
  }, []);
  return line;
}
