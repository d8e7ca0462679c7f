import type { Webhook } from '../../api/records.ts';
import { Dialog } from '../../components/dialog.tsx';
import { WebhookTest } from './webhook-test.tsx';

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
      title="Send a test"
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
