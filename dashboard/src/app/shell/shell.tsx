import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Logo } from './logo.tsx';
import { useShellShortcuts } from './navigation.ts';
import { SideNavigation } from './side-navigation.tsx';
import { TopBar } from './top-bar.tsx';

/** Layout of pages for signed-in users. */
export function Shell() {
  const [menuOpen, setMenuOpen] = useState(false);
  useShellShortcuts();
  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-solid px-3 py-2 font-medium text-on-solid focus:translate-y-0"
      >
        Skip to content
      </a>
      <aside
        aria-label="Sidebar"
        className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col border-line border-r bg-canvas lg:flex"
      >
        <div className="flex h-14 items-center px-5">
          <Logo />
        </div>
        <SideNavigation />
      </aside>
      <Sheet open={menuOpen} onClose={() => setMenuOpen(false)} title="Keyward" side="left">
        <SideNavigation onGo={() => setMenuOpen(false)} />
      </Sheet>
      <div className="flex min-w-0 flex-1 flex-col has-data-fills-page:h-dvh">
        <TopBar onMenu={() => setMenuOpen(true)} />
        <main
          id="content"
          tabIndex={-1}
          className="flex w-full max-w-7xl flex-1 flex-col gap-6 px-4 pt-6 pb-16 has-data-fills-page:min-h-0 has-data-fills-page:pb-6 sm:px-8"
        >
          <Outlet />
        </main>
      </div>
    </div>
  );
}
