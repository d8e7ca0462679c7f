import { KeywardError } from 'keyward';
import { RotateCw } from 'lucide-react';
import { explain } from '../../text/explain.ts';
import { Button } from '../buttons/button.tsx';
import { Notice } from './notice.tsx';

interface FailureProps {
  readonly error: unknown;
  /** What failed, such as `The keys could not be loaded`. */
  readonly title?: string;
  readonly onRetry?: () => void;
}

/** Shown instead of the data when a request fails. */
export function Failure({ error, title = 'This could not be loaded', onRetry }: FailureProps) {
  const requestId = error instanceof KeywardError ? error.requestId : null;
  return (
    <Notice
      tone="bad"
      title={title}
      action={
        onRetry && (
          <Button size="sm" icon={<RotateCw />} onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      {explain(error)}
      {requestId && (
        <p className="mt-1 text-sm">
          Request ID: <code className="select-all">{requestId}</code>
        </p>
      )}
    </Notice>
  );
}
