import { lazyPart } from '../../app/routing/lazy-page.ts';
import { Skeleton } from '../../components/feedback/loading.tsx';
import { Card } from '../../components/layout/card.tsx';

/** Charts are large, and a page is useful before they are loaded. */
export const UsageCard = lazyPart(
  async () => (await import('./usage-card.tsx')).UsageCard,
  <Card title="Usage">
    <Skeleton className="h-72 w-full" />
  </Card>,
);
