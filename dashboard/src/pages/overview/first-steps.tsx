import { Link } from '@tanstack/react-router';
import { useProject } from '../../app/current.ts';
import { buttonClass } from '../../components/buttons/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';

/** Until the first validation: where to begin. */
export function FirstSteps() {
  const { id: projectId } = useProject();
  return (
    <Notice
      tone="accent"
      title="No key of this project was validated yet"
      action={
        <Link
          to="/p/$projectId/quick-start"
          params={{ projectId }}
          className={buttonClass('solid', 'sm')}
        >
          Quick start
        </Link>
      }
    >
      Create a key, call the server once, and see it here a second later.
    </Notice>
  );
}
