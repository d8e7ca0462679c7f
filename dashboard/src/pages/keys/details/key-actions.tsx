import { useNavigate } from '@tanstack/react-router';
import { Ban, EllipsisVertical, Pencil, RotateCcw, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { eraseApiKey } from '../../../api/api-keys.ts';
import type { ApiKey } from '../../../api/records.ts';
import { useManyShortcuts } from '../../../app/browser/shortcuts.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { IconButton } from '../../../components/buttons/icon-button.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Confirm } from '../../../components/overlays/confirm.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../components/overlays/menu.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { useNow } from '../../../hooks/use-now.ts';
import { EditKeyDialog } from '../dialogs/edit-key-dialog.tsx';
import { RevokeKeys, reactivateOne } from '../dialogs/revoke-keys.tsx';
import { RotateKeyDialog } from '../dialogs/rotate-key-dialog.tsx';
import { stateOf } from '../key-state.ts';

type Open = 'edit' | 'rotate' | 'revoke' | 'erase' | null;

export function KeyActions({ apiKey }: { readonly apiKey: ApiKey }) {
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>(null);
  const reactivate = useAction(reactivateOne);
  const mayWrite = useMay('keys:write');
  const state = stateOf(apiKey, useNow());
  // A key that was rotated has a successor already: that one is rotated next.
  const mayRotate = (state === 'active' || state === 'expiring') && apiKey.rotatedTo === null;
  const close = () => setOpen(null);
  useManyShortcuts(
    mayWrite
      ? [
          { keys: 'e', label: 'Edit this key', run: () => setOpen('edit') },
          ...(mayRotate
            ? [{ keys: 'r', label: 'Rotate this key', run: () => setOpen('rotate') }]
            : []),
        ]
      : [],
  );
  if (!mayWrite) return null;
  return (
    <>
      <Button icon={<Pencil />} onClick={() => setOpen('edit')}>
        Edit
      </Button>
      {mayRotate && (
        <Button icon={<RotateCw />} onClick={() => setOpen('rotate')}>
          Rotate
        </Button>
      )}
      {!apiKey.isActive && (
        <Button
          kind="solid"
          icon={<RotateCcw />}
          busy={reactivate.busy}
          onClick={() => reactivate.run(apiKey)}
        >
          Reactivate
        </Button>
      )}
      <Menu
        label="More for this key"
        trigger={
          <IconButton label="More for this key">
            <EllipsisVertical />
          </IconButton>
        }
      >
        {apiKey.isActive && (
          <>
            <MenuItem icon={<Ban />} onSelect={() => setOpen('revoke')}>
              Revoke…
            </MenuItem>
            <MenuSeparator />
          </>
        )}
        <MenuItem danger icon={<Trash2 />} onSelect={() => setOpen('erase')}>
          Erase for ever…
        </MenuItem>
      </Menu>
      {open === 'edit' && <EditKeyDialog apiKey={apiKey} onClose={close} />}
      {open === 'rotate' && <RotateKeyDialog apiKey={apiKey} onClose={close} />}
      {open === 'revoke' && <RevokeKeys keys={[apiKey]} onClose={close} />}
      {open === 'erase' && (
        <EraseKey
          apiKey={apiKey}
          onClose={close}
          onErased={() =>
            navigate({ to: '/p/$projectId/keys', params: { projectId: apiKey.projectId } })
          }
        />
      )}
    </>
  );
}

interface EraseKeyProps {
  readonly apiKey: ApiKey;
  onClose(): void;
  onErased(): Promise<unknown>;
}

const TYPED_MAX = 60;

function EraseKey({ apiKey, onClose, onErased }: EraseKeyProps) {
  const name = apiKey.name.trim();
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Erase “${apiKey.name}” for ever?`}
      consequences="The key and its usage are deleted, and calls with it are refused. Nothing brings it back. The audit log keeps its record, masked. If you only want to stop it, revoke it."
      action="Erase for ever"
      danger
      typeToConfirm={name === '' || name.length > TYPED_MAX ? 'erase' : name}
      onConfirm={async () => {
        await eraseApiKey(apiKey.id, onErased);
        toast({ text: `“${apiKey.name}” is erased.` });
      }}
    />
  );
}
