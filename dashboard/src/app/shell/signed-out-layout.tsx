import { Outlet } from '@tanstack/react-router';
import { Logo } from './logo.tsx';

/** Layout of pages for signed-out users. */
export function SignedOutLayout() {
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 pt-[12vh] pb-12">
      <header className="mb-8 text-lg">
        <Logo />
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="w-full max-w-sm rounded-2xl border border-line bg-surface p-7 shadow-raised max-sm:p-5"
      >
        <Outlet />
      </main>
    </div>
  );
}
