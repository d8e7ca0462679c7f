import type { Change } from '../../text/changes.ts';
import { ActionFailure } from '../feedback/notice.tsx';

/** Both values of each field that another user changed while the form was open. */
export function EditConflicts({ conflicts }: { readonly conflicts: readonly Change[] }) {
  if (conflicts.length === 0) return null;
  return (
    <ActionFailure>
      Someone else changed this while you were editing. Save again to replace their changes.
      <ul className="mt-1">
        {conflicts.map(({ field, before, after }) => (
          <li key={field}>
            {field}: now “{before}”, yours “{after}”
          </li>
        ))}
      </ul>
    </ActionFailure>
  );
}
