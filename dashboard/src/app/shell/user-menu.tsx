import { useNavigate } from '@tanstack/react-router';
import { BookOpen, LogOut, Settings } from 'lucide-react';
import { keyward } from '../../api/client.ts';
import { useMe } from '../../api/me.ts';
import { clearUserCache } from '../../api/query-client.ts';
import { Avatar } from '../../components/display/avatar.tsx';
import { toastFailure } from '../../components/feedback/toasts.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../components/overlays/menu.tsx';

export function UserMenu() {
  const me = useMe().data;
  const navigate = useNavigate();
  if (!me) return null;

  async function signOut() {
    try {
      await keyward.me.signOut();
      await navigate({ to: '/login' });
      clearUserCache();
    } catch (error) {
      toastFailure(error);
    }
  }

  return (
    <Menu
      label="Your profile"
      trigger={
        <button type="button" aria-label={`User menu: ${me.name}`} className="ml-1 rounded-full">
          <Avatar name={me.name} />
        </button>
      }
    >
      <MenuLabel>
        <span className="block font-medium text-ink text-sm">{me.name}</span>
        {me.email}
      </MenuLabel>
      <MenuSeparator />
      <MenuItem icon={<Settings />} onSelect={() => navigate({ to: '/settings' })}>
        Settings
      </MenuItem>
      <MenuItem icon={<BookOpen />} onSelect={() => location.assign('/docs')}>
        Documentation
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<LogOut />} onSelect={signOut}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
