import type { BodyOf } from 'keyward';
import { lazyPart } from '../../app/routing/lazy-page.ts';
import { Card } from '../../components/layout/card.tsx';

type Body = BodyOf<'previewPlan'>;

/** Rarely needed: most limits are enforced. */
const LimitPreview = lazyPart(async () => (await import('./limit-preview.tsx')).LimitPreview);

interface ShadowPreviewProps {
  readonly limits: Body['limits'];
  /** The customer or key that has them. */
  readonly of: Pick<Body, 'projectId' | 'customAccountId' | 'key'>;
  readonly what: string;
}

/** For limits of a customer or key; nothing if none of them is in shadow mode. */
export function ShadowPreview({ limits, of, what }: ShadowPreviewProps) {
  if (!limits?.some(({ mode }) => mode === 'shadow')) return null;
  return (
    <Card
      title="What would have happened"
      description={`What the limits of ${what} would have refused in the last 48 hours, those in shadow mode included`}
    >
      <LimitPreview body={{ ...of, limits }} what={what} />
    </Card>
  );
}
