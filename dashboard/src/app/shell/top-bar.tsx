import { Keyboard, Menu as MenuIcon, Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { IconButton } from '../../components/buttons/icon-button.tsx';
import { Kbd } from '../../components/buttons/kbd.tsx';
import { cx } from '../../components/cx.ts';
import { EnvBadge } from '../../components/display/badge.tsx';
import { useShortcut } from '../browser/shortcuts.ts';
import { useCurrent } from '../current.ts';
import { Logo } from './logo.tsx';
import { ShortcutHelp } from './shortcut-help.tsx';
import { ThemeSwitch } from './theme-switch.tsx';
import { UserMenu } from './user-menu.tsx';
import { ViewOnly } from './view-only.tsx';

const loadPalette = () => import('./command-palette.tsx');
const CommandPalette = lazy(loadPalette);

export function TopBar({ onMenu }: { readonly onMenu: () => void }) {
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  const close = () => setOpen(null);
  const { project } = useCurrent();
  // Preload the palette, so that no letter typed right after the shortcut is lost.
  useEffect(() => {
    const timer = setTimeout(loadPalette, 1_500);
    return () => clearTimeout(timer);
  }, []);
  useShortcut('mod+k', 'Open command palette', () => setOpen('palette'));
  useShortcut('?', 'Show keyboard shortcuts', () => setOpen('help'));
  return (
    <>
      <header
        className={cx(
          'sticky top-0 z-30 flex h-14 items-center gap-2 border-line border-b bg-canvas px-4 sm:px-8',
          '[@supports(backdrop-filter:blur(1px))]:bg-canvas/85 [@supports(backdrop-filter:blur(1px))]:backdrop-blur',
        )}
      >
        <IconButton label="Menu" onClick={onMenu} className="-ml-2 size-10 lg:hidden">
          <MenuIcon />
        </IconButton>
        <span className="lg:hidden">
          <Logo />
        </span>
        {/* On narrow screens, where the side navigation is hidden. */}
        {project && (
          <span className="flex lg:hidden">
            <EnvBadge env={project.env} />
          </span>
        )}
        <button
          type="button"
          onClick={() => setOpen('palette')}
          className="ml-auto flex h-8 items-center gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-faint text-sm transition-colors hover:bg-hover hover:text-ink sm:w-64 lg:mr-auto lg:ml-0"
        >
          <Search aria-hidden className="size-4" />
          <span className="max-sm:sr-only">Search or jump to…</span>
          <span className="ml-auto max-sm:hidden">
            <Kbd keys="mod+k" />
          </span>
        </button>
        <ViewOnly />
        <span className="max-sm:hidden">
          <IconButton label="Keyboard shortcuts" keys="?" onClick={() => setOpen('help')}>
            <Keyboard />
          </IconButton>
        </span>
        <ThemeSwitch />
        <UserMenu />
      </header>
      {open === 'palette' && (
        <Suspense>
          <CommandPalette onClose={close} />
        </Suspense>
      )}
      <ShortcutHelp open={open === 'help'} onClose={close} />
    </>
  );
}
