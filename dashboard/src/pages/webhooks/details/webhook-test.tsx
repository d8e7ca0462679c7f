import type { Webhook } from 'keyward';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { pingWebhook } from '../../../api/webhooks.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { CodeBlock } from '../../../components/display/code-block.tsx';
import { announce } from '../../../components/feedback/announcer.tsx';
import { ActionFailure, Notice } from '../../../components/feedback/notice.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { wholeNumber } from '../../../text/numbers.ts';

type Target = Parameters<typeof pingWebhook>[0];
type Result = Awaited<ReturnType<typeof pingWebhook>>;

interface WebhookTestProps {
  /** Null while the form has an error. */
  readonly target: Target | null;
  /** The error. */
  readonly problem?: string | undefined;
}

/** Sends a test message to the endpoint in the form, and shows the response. */
export function WebhookTest({ target, problem }: WebhookTestProps) {
  const [result, setResult] = useState<Result | null>(null);
  const { run, busy, failure } = useAction(pingWebhook);

  async function send() {
    if (!target) return;
    setResult(null);
    const response = await run(target);
    if (!response) return;
    setResult(response);
    // Screen readers announce errors from the notice.
    if (response.success) announce(`${titleOf(response)}. ${adviceFor(response)}`);
  }

  return (
    <section aria-label="Test" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button icon={<Send />} busy={busy} onClick={send} aria-disabled={!target}>
          Send test
        </Button>
        <span className="text-faint text-sm">
          {problem ?? 'Sends a small unsigned message, not an event.'}
        </span>
      </div>
      {failure && <ActionFailure>{failure}</ActionFailure>}
      {result && (
        <>
          <Notice tone={result.success ? 'good' : 'bad'} title={titleOf(result)}>
            {adviceFor(result)}
          </Notice>
          {result.responseBody !== '' && (
            <CodeBlock label="Response body" code={result.responseBody} />
          )}
        </>
      )}
    </section>
  );
}

const titleOf = ({ statusCode, durationMs, error }: Result): string =>
  statusCode === null
    ? `No response: ${error ?? 'the connection was closed'}`
    : `${statusCode} in ${wholeNumber(durationMs)} ms`;

function adviceFor({ success, statusCode }: Result): string {
  if (success) return 'The endpoint received the message.';
  if (statusCode === null) return 'Check the URL, and that the server can reach the endpoint.';
  if (statusCode >= 300 && statusCode < 400)
    return 'Redirects are not followed. Use the final URL.';
  if (statusCode === 401 || statusCode === 403)
    return 'The endpoint requires authentication. Add the header that it expects.';
  if (statusCode === 410) return 'A delivery that gets a 410 response disables the webhook.';
  return 'Only a 2xx response within 15 seconds counts as received.';
}

interface TestDialogProps {
  readonly webhook: Webhook;
  onClose(): void;
}

export function TestDialog({ webhook, onClose }: TestDialogProps) {
  const { id: webhookId, url, httpMethod, customHeaders } = webhook;
  return (
    <Dialog
      open
      onClose={onClose}
      size="md"
      title="Send test"
      description={
        <span className="break-all font-mono text-sm">
          {httpMethod} {url}
        </span>
      }
    >
      <WebhookTest target={{ webhookId, url, httpMethod, customHeaders }} />
    </Dialog>
  );
}
