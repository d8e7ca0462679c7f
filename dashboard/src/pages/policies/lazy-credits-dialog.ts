import { lazyPart } from '../../app/routing/lazy-page.ts';

export const CreditsDialog = lazyPart(
  async () => (await import('./credits-dialog.tsx')).CreditsDialog,
);
