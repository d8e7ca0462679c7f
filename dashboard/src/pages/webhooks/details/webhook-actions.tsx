import { useNavigate } from '@tanstack/react-router';
import {
  EllipsisVertical,
  History,
  KeyRound,
  Pause,
  Pencil,
  Play,
  Send,
  Trash2,
} from 'lucide-react';
import type { Webhook } from '../../../api/records.ts';
import { deleteWebhook, updateWebhook } from '../../../api/webhooks.ts';
import { useShortcut } from '../../../app/browser/shortcuts.ts';
import { useProject } from '../../../app/current.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { IconButton } from '../../../components/buttons/icon-button.tsx';
import { toast, toastFailure } from '../../../components/feedback/toasts.tsx';
import { Confirm } from '../../../components/overlays/confirm.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../components/overlays/menu.tsx';
import { ReplayDialog } from '../deliveries/replay-dialog.tsx';
import { EditWebhook } from '../forms/edit-webhook.tsx';
import { RotateSecret } from '../forms/rotate-secret.tsx';
import { TestDialog } from './webhook-test.tsx';

export type Act = 'edit' | 'test' | 'replay' | 'rotate' | 'pause' | 'delete';

interface WebhookActionsProps {
  readonly webhook: Webhook;
  onAct(act: Act): void;
}

export function WebhookActions({ webhook, onAct }: WebhookActionsProps) {
  const mayWrite = useMay('webhooks:write');
  useShortcut('e', 'Edit this webhook', () => onAct('edit'), { enabled: mayWrite });
  if (!mayWrite) return null;
  return (
    <>
      <Button icon={<Send />} onClick={() => onAct('test')}>
        Send test
      </Button>
      <Button icon={<Pencil />} onClick={() => onAct('edit')}>
        Edit
      </Button>
      <Menu
        label="More actions"
        trigger={
          <IconButton label="More actions">
            <EllipsisVertical />
          </IconButton>
        }
      >
        {webhook.status === 'live' ? (
          <MenuItem icon={<Pause />} onSelect={() => onAct('pause')}>
            Pause…
          </MenuItem>
        ) : (
          <MenuItem icon={<Play />} onSelect={() => resume(webhook)}>
            Resume
          </MenuItem>
        )}
        <MenuItem icon={<History />} onSelect={() => onAct('replay')}>
          Replay events…
        </MenuItem>
        <MenuItem icon={<KeyRound />} onSelect={() => onAct('rotate')}>
          Rotate secret…
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<Trash2 />} danger onSelect={() => onAct('delete')}>
          Delete…
        </MenuItem>
      </Menu>
    </>
  );
}

export async function resume({ id, name }: Webhook): Promise<void> {
  try {
    await updateWebhook(id, { status: 'live' });
    toast({ text: `${name} was resumed.` });
  } catch (error) {
    toastFailure(error);
  }
}

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
