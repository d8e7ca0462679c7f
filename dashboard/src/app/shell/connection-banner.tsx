import { useRouter } from '@tanstack/react-router';
import { WifiOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useIsOnline } from '../../api/connection.ts';

/** Shown while the server cannot be reached. Reloads failed pages when it returns. */
export function ConnectionBanner() {
  const isOnline = useIsOnline();
  const router = useRouter();
  const wasOnline = useRef(isOnline);
  useEffect(() => {
    // Reload pages that failed to load. Queries resume automatically.
    if (isOnline && !wasOnline.current) void router.invalidate();
    wasOnline.current = isOnline;
  }, [isOnline, router]);
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 top-3 z-50 flex justify-center"
    >
      {!isOnline && (
        <p className="flex items-center gap-2 rounded-full bg-warn-soft px-4 py-1.5 font-medium text-sm text-warn shadow-float">
          <WifiOff aria-hidden className="size-4" />
          Connection lost, retrying. Data may be out of date.
        </p>
      )}
    </div>
  );
}
