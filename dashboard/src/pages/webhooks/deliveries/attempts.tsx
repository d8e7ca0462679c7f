import type { Delivery } from 'keyward';
import { CodeBlock } from '../../../components/display/code-block.tsx';
import { DateTime } from '../../../components/display/date-time.tsx';
import { StatusDot } from '../../../components/display/status-dot.tsx';
import { wholeNumber } from '../../../text/numbers.ts';

interface AttemptsProps {
  readonly attempts: Delivery['recentAttempts'];
}

/** Attempts and responses, newest first. */
export function Attempts({ attempts }: AttemptsProps) {
  return (
    <section aria-labelledby="attempts" className="flex flex-col gap-3">
      <h3 id="attempts" className="font-semibold">
        Attempts
      </h3>
      {attempts.length === 0 && <p className="text-muted">No attempts yet.</p>}
      <ol className="flex flex-col gap-4">
        {attempts.map(({ startedAt, durationMs, statusCode, error, responseBody }) => (
          <li key={startedAt} className="flex flex-col gap-2">
            <div className="flex flex-wrap justify-between gap-x-6 gap-y-1">
              <StatusDot tone={isSuccess(statusCode) ? 'good' : 'bad'}>
                <span className="whitespace-normal">
                  {statusCode === null ? (error ?? 'No response') : `Responded with ${statusCode}`}
                </span>
              </StatusDot>
              <span className="text-faint text-sm">
                <DateTime at={startedAt} form="exact" />, {wholeNumber(durationMs)} ms
              </span>
            </div>
            {statusCode !== null && error && error !== `HTTP ${statusCode}` && (
              <p className="text-muted text-sm">{error}</p>
            )}
            {responseBody && <CodeBlock label="Response body" code={responseBody} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

const isSuccess = (statusCode: number | null): boolean =>
  statusCode !== null && statusCode >= 200 && statusCode < 300;
