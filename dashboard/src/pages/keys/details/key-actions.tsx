import { isRotatable, keyState } from '@keyward/rules/key-state.ts';
import { useNavigate } from '@tanstack/react-router';
import type { ApiKey } from 'keyward';
import { Ban, EllipsisVertical, Pencil, RotateCcw, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useManyShortcuts } from '../../../app/browser/shortcuts.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { IconButton } from '../../../components/buttons/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../components/overlays/menu.tsx';
import { useNow } from '../../../hooks/use-now.ts';
import type { KeyDialog } from '../dialogs/key-dialogs.tsx';
import { KeyDialogs } from '../dialogs/lazy-dialogs.ts';

export function KeyActions({ apiKey }: { readonly apiKey: ApiKey }) {
  const navigate = useNavigate();
  const [open, setOpen] = useState<KeyDialog | null>(null);
  const mayWrite = useMay('keys:write');
  const mayRotate = isRotatable(apiKey, keyState(apiKey, useNow()));
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
        <Button icon={<RotateCcw />} onClick={() => setOpen('reactivate')}>
          Reactivate…
        </Button>
      )}
      <Menu
        label="More actions"
        trigger={
          <IconButton label="More actions">
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
          Delete permanently…
        </MenuItem>
      </Menu>
      <KeyDialogs
        open={open}
        apiKey={apiKey}
        onClose={close}
        onErased={() =>
          navigate({ to: '/p/$projectId/keys', params: { projectId: apiKey.projectId } })
        }
      />
    </>
  );
}
