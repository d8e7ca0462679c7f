import type { AccessKey } from 'keyward';
import { Ban, EllipsisVertical, Pencil, RefreshCw, RotateCcw } from 'lucide-react';
import { reactivateAccessKey, revokeAccessKey } from '../../api/access-keys.ts';
import { lazyPart } from '../../app/routing/lazy-page.ts';
import { IconButton } from '../../components/buttons/icon-button.tsx';
import { toast, toastFailure } from '../../components/feedback/toasts.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/overlays/menu.tsx';
import { RotateAccessKey } from './rotate-access-key.tsx';

const EditAccessKey = lazyPart(async () => (await import('./edit-access-key.tsx')).EditAccessKey);

export type Act = 'edit' | 'rotate' | 'revoke' | 'reactivate';

interface AccessKeyMenuProps {
  readonly accessKey: AccessKey;
  onAct(act: Act): void;
}

export function AccessKeyMenu({ accessKey, onAct }: AccessKeyMenuProps) {
  return (
    <Menu
      label={`Actions for ${accessKey.name}`}
      trigger={
        <IconButton label={`Actions for ${accessKey.name}`}>
          <EllipsisVertical />
        </IconButton>
      }
    >
      <MenuItem icon={<Pencil />} onSelect={() => onAct('edit')}>
        Edit…
      </MenuItem>
      {accessKey.isActive && accessKey.rotatedTo === null && (
        <MenuItem icon={<RefreshCw />} onSelect={() => onAct('rotate')}>
          Rotate…
        </MenuItem>
      )}
      <MenuSeparator />
      {accessKey.isActive ? (
        <MenuItem icon={<Ban />} danger onSelect={() => onAct('revoke')}>
          Revoke…
        </MenuItem>
      ) : (
        <MenuItem icon={<RotateCcw />} onSelect={() => onAct('reactivate')}>
          Reactivate…
        </MenuItem>
      )}
    </Menu>
  );
}

async function reactivate({ id, name }: AccessKey): Promise<void> {
  try {
    await reactivateAccessKey(id);
    toast({ text: `${name} was reactivated.` });
  } catch (error) {
    toastFailure(error);
  }
}

interface AccessKeyDialogProps {
  readonly act: Act;
  readonly accessKey: AccessKey;
  onClose(): void;
}

/** The dialog of the selected action. */
export function AccessKeyDialog({ act, accessKey, onClose }: AccessKeyDialogProps) {
  if (act === 'edit') return <EditAccessKey {...{ accessKey, onClose }} />;
  if (act === 'rotate') return <RotateAccessKey {...{ accessKey, onClose }} />;
  if (act === 'reactivate')
    return (
      <Confirm
        open
        onClose={onClose}
        title={`Reactivate ${accessKey.name}?`}
        consequences="Requests with this access key are accepted again immediately, with the same value and scopes."
        action="Reactivate"
        onConfirm={() => reactivate(accessKey)}
      />
    );
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Revoke ${accessKey.name}?`}
      consequences="Requests with this access key are rejected with 401 immediately. You can reactivate it later."
      action="Revoke"
      danger
      onConfirm={async () => {
        await revokeAccessKey(accessKey.id);
        toast({
          text: `${accessKey.name} was revoked.`,
          action: { label: 'Undo', run: () => reactivate(accessKey) },
        });
      }}
    />
  );
}
