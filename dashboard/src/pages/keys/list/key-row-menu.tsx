import { isRotatable, keyState } from '@keyward/rules/key-state.ts';
import { useNavigate } from '@tanstack/react-router';
import type { ApiKey } from 'keyward';
import {
  Ban,
  ChartColumn,
  Copy,
  EllipsisVertical,
  Pencil,
  RotateCcw,
  RotateCw,
  Trash2,
} from 'lucide-react';
import { type ButtonHTMLAttributes, type Ref, useState } from 'react';
import { useMay } from '../../../app/session/permissions.ts';
import { Menu, MenuItem, MenuSeparator } from '../../../components/overlays/menu.tsx';
import { useCopy } from '../../../hooks/use-copy.ts';
import type { KeyDialog } from '../dialogs/key-dialogs.tsx';

interface KeyRowMenuProps {
  readonly apiKey: ApiKey;
  onOpen(dialog: KeyDialog, key: ApiKey): void;
}

/**
 * The actions of a row. Only a button until it is first opened, because each screen of a long list
 * renders forty of them.
 */
export function KeyRowMenu({ apiKey, onOpen }: KeyRowMenuProps) {
  const [wasOpened, setWasOpened] = useState(false);
  const label = `Actions for ${apiKey.name}`;
  if (!wasOpened)
    return <MenuButton label={label} aria-haspopup="menu" onClick={() => setWasOpened(true)} />;
  return (
    <Menu defaultOpen label={label} trigger={<MenuButton label={label} />}>
      <Items apiKey={apiKey} onOpen={onOpen} />
    </Menu>
  );
}

interface MenuButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly label: string;
  readonly ref?: Ref<HTMLButtonElement>;
}

const MenuButton = ({ label, ...rest }: MenuButtonProps) => (
  <button
    type="button"
    tabIndex={-1}
    {...rest}
    aria-label={label}
    className="-ml-1 flex size-8 items-center justify-center rounded-md text-muted hover:bg-pressed hover:text-ink"
  >
    <EllipsisVertical aria-hidden className="size-4" />
  </button>
);

function Items({ apiKey, onOpen }: KeyRowMenuProps) {
  const navigate = useNavigate();
  const { copy } = useCopy();
  const mayWrite = useMay('keys:write');
  const open = (dialog: KeyDialog) => () => onOpen(dialog, apiKey);
  const analytics = () =>
    void navigate({
      to: '/p/$projectId/analytics',
      params: { projectId: apiKey.projectId },
      search: { key: apiKey.id },
    });
  return (
    <>
      <MenuItem icon={<Copy />} onSelect={() => void copy(apiKey.id)}>
        Copy ID
      </MenuItem>
      <MenuItem icon={<ChartColumn />} onSelect={analytics}>
        View usage
      </MenuItem>
      {mayWrite && (
        <>
          <MenuSeparator />
          <MenuItem icon={<Pencil />} onSelect={open('edit')}>
            Edit…
          </MenuItem>
          {isRotatable(apiKey, keyState(apiKey, Date.now())) && (
            <MenuItem icon={<RotateCw />} onSelect={open('rotate')}>
              Rotate…
            </MenuItem>
          )}
          {apiKey.isActive ? (
            <MenuItem icon={<Ban />} onSelect={open('revoke')}>
              Revoke…
            </MenuItem>
          ) : (
            <MenuItem icon={<RotateCcw />} onSelect={open('reactivate')}>
              Reactivate…
            </MenuItem>
          )}
          <MenuSeparator />
          <MenuItem danger icon={<Trash2 />} onSelect={open('erase')}>
            Delete permanently…
          </MenuItem>
        </>
      )}
    </>
  );
}
