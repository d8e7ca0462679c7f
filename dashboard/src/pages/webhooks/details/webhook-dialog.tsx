import { useNavigate } from '@tanstack/react-router';
import type { Webhook } from 'keyward';
import { deleteWebhook, updateWebhook } from '../../../api/webhooks.ts';
import { useProject } from '../../../app/current.ts';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Confirm } from '../../../components/overlays/confirm.tsx';
import { ReplayDialog } from '../deliveries/replay-dialog.tsx';
import { EditWebhook } from '../forms/edit-webhook.tsx';
import { RotateSecret } from '../forms/rotate-secret.tsx';
import { type Act, resume } from './webhook-actions.tsx';
import { TestDialog } from './webhook-test.tsx';

interface WebhookDialogProps {
  readonly act: Act;
  readonly webhook: Webhook;
  onClose(): void;
}

/** The dialog of the selected action. */
export function WebhookDialog({ act, webhook, onClose }: WebhookDialogProps) {
  switch (act) {
    case 'edit':
      return <EditWebhook {...{ webhook, onClose }} />;
    case 'test':
      return <TestDialog {...{ webhook, onClose }} />;
    case 'replay':
      return <ReplayDialog {...{ webhook, onClose }} />;
    case 'rotate':
      return <RotateSecret {...{ webhook, onClose }} />;
    case 'pause':
      return <PauseWebhook {...{ webhook, onClose }} />;
    case 'delete':
      return <DeleteWebhook {...{ webhook, onClose }} />;
  }
}

type ActionDialogProps = Omit<WebhookDialogProps, 'act'>;

const PauseWebhook = ({ webhook, onClose }: ActionDialogProps) => (
  <Confirm
    open
    onClose={onClose}
    title={`Pause ${webhook.name}?`}
    consequences="Nothing is sent until you resume it. Queued deliveries are sent then. New events are not queued, but you can replay them for 30 days."
    action="Pause"
    onConfirm={async () => {
      await updateWebhook(webhook.id, { status: 'paused' });
      toast({
        text: `${webhook.name} was paused.`,
        action: { label: 'Resume', run: () => resume(webhook) },
      });
    }}
  />
);

function DeleteWebhook({ webhook, onClose }: ActionDialogProps) {
  const project = useProject();
  const navigate = useNavigate();
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Delete ${webhook.name}?`}
      consequences="Queued deliveries are not sent. Its secret is deleted, and its delivery history is no longer visible (it is deleted after 30 days). This cannot be undone. If you only want to stop it, pause it instead."
      action="Delete"
      danger
      typeToConfirm={webhook.name}
      onConfirm={async () => {
        await deleteWebhook(webhook.id);
        toast({ text: `${webhook.name} was deleted.` });
        await navigate({ to: '/p/$projectId/webhooks', params: { projectId: project.id } });
      }}
    />
  );
}
