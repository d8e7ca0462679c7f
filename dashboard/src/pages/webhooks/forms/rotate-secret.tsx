import type { Webhook } from 'keyward';
import { useState } from 'react';
import { rotateWebhookSecret } from '../../../api/webhooks.ts';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { NewSecret } from './new-secret.tsx';

interface RotateSecretProps {
  readonly webhook: Webhook;
  onClose(): void;
}

export function RotateSecret({ webhook, onClose }: RotateSecretProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const { run, busy, failure } = useAction(rotateWebhookSecret);
  if (secret !== null)
    return (
      <NewSecret title="Secret rotated" name={webhook.name} rotated {...{ secret, onClose }} />
    );

  async function rotate() {
    const result = await run(webhook.id);
    if (result) setSecret(result.secret);
  }

  return (
    <FormDialog
      onClose={onClose}
      title="Rotate signing secret?"
      description="Creates a new secret. For 24 hours, deliveries are signed with both secrets, then only with the new one. Update your endpoint within that time."
      action="Rotate secret"
      busy={busy}
      failure={failure}
      onSubmit={rotate}
    ></FormDialog>
  );
}
