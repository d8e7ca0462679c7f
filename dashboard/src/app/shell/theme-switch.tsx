import { Check, Monitor, Moon, Sun } from 'lucide-react';
import { IconButton } from '../../components/buttons/icon-button.tsx';
import { Menu, MenuItem } from '../../components/overlays/menu.tsx';
import { setTheme, type Theme, useTheme } from '../browser/theme.ts';

const THEMES: readonly { theme: Theme; label: string; Icon: typeof Sun }[] = [
  { theme: 'system', label: 'System', Icon: Monitor },
  { theme: 'light', label: 'Light', Icon: Sun },
  { theme: 'dark', label: 'Dark', Icon: Moon },
];

export function ThemeSwitch() {
  const theme = useTheme();
  const { Icon } = THEMES.find((one) => one.theme === theme)!;
  return (
    <Menu
      label="Theme"
      trigger={
        <IconButton label="Theme">
          <Icon />
        </IconButton>
      }
    >
      {THEMES.map((one) => (
        <MenuItem
          key={one.theme}
          icon={<one.Icon />}
          checked={one.theme === theme}
          onSelect={() => setTheme(one.theme)}
        >
          <span className="flex items-center justify-between">
            {one.label}
            {one.theme === theme && <Check aria-hidden />}
          </span>
        </MenuItem>
      ))}
    </Menu>
  );
}
