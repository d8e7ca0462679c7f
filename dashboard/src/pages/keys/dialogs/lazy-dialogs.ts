import { lazyPart } from '../../../app/routing/lazy-page.ts';

export const KeyDialogs = lazyPart(async () => (await import('./key-dialogs.tsx')).KeyDialogs);
