import { useRouter } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import type { ApiKey } from '../../api/records.ts';

/**
 * The name of a key in the list. A plain link: the router's own listens to every change of the
 * address, and forty of them are made anew with every screen that is scrolled by.
 */
export function KeyLink({ apiKey }: { readonly apiKey: ApiKey }) {
  const router = useRouter();
  const params = { projectId: apiKey.projectId, keyId: apiKey.id };
  function onClick(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({ to: '/p/$projectId/keys/$keyId', params });
  }
  return (
    <a
      href={`${router.basepath.replace(/\/$/, '')}/p/${params.projectId}/keys/${params.keyId}`}
      // The row is what the keyboard walks; the link is there to be opened in another tab.
      tabIndex={-1}
      onClick={onClick}
      className="font-medium hover:underline"
    >
      {apiKey.name}
    </a>
  );
}
