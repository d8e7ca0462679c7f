import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { useProject } from '../../app/current.ts';
import { buttonClass } from '../../components/buttons/button.tsx';
import { cx } from '../../components/cx.ts';
import { Card } from '../../components/layout/card.tsx';
import { type Progress, STEPS } from '../quick-start/use-progress.ts';

/** Progress of the quick start, shown if no key was validated in the last year. */
export function FirstSteps({ progress }: { readonly progress: Progress }) {
  const { id: projectId } = useProject();
  const done = STEPS.filter(({ id }) => progress[id]).length;
  return (
    <Card
      title="Get started"
      description={`${done} of ${STEPS.length} steps complete. Usage appears here after the first validation.`}
      actions={
        <Link
          to="/p/$projectId/quick-start"
          params={{ projectId }}
          className={buttonClass('solid', 'sm')}
        >
          {done === 0 ? 'Open quick start' : 'Continue quick start'}
        </Link>
      }
    >
      <ol aria-label="Get started" className="flex flex-col gap-2.5">
        {STEPS.map(({ id, title }, index) => (
          <li key={id} className="flex items-center gap-3">
            <span
              aria-hidden
              className={cx(
                'flex size-6 shrink-0 items-center justify-center rounded-full border font-semibold text-xs',
                progress[id]
                  ? 'border-good bg-good text-canvas'
                  : 'border-line-strong bg-surface text-muted',
              )}
            >
              {progress[id] ? <Check className="size-3.5" /> : index + 1}
            </span>
            <span className={progress[id] ? 'text-muted' : ''}>
              {title}
              {progress[id] && <span className="sr-only"> (done)</span>}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
