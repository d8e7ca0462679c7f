import type { Webhook } from 'keyward';
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
import { updateWebhook } from '../../../api/webhooks.ts';
import { useShortcut } from '../../../app/browser/shortcuts.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { IconButton } from '../../../components/buttons/icon-button.tsx';
import { toast, toastFailure } from '../../../components/feedback/toasts.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../components/overlays/menu.tsx';

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
