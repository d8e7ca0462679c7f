import { KeywardError } from 'keyward';
import { useState } from 'react';
import type { PlanName } from '../fields/texts.ts';
import { type Change, changedFields, conflictsOf } from '../text/changes.ts';
import { useAction } from './use-action.ts';

interface EditedItem {
  readonly updatedAt: string;
}

interface EditActions<Item> {
  /** Fetches the current version. */
  read(): Promise<Item>;
  /** Sends the changed fields. The server rejects them if `seen` is not the current version. */
  save(changes: Partial<Item>, seen: Item): Promise<unknown>;
  /** Shown in conflicts; by default, the id. */
  readonly planName?: PlanName;
}

const isEditConflict = (error: unknown): boolean =>
  error instanceof KeywardError && error.code === 'edit_conflict';

/**
 * Saves the edited fields of an item. Changes that another user made to other fields are kept. If the
 * same field was changed, `conflicts` has both values, and saving again replaces theirs.
 */
export function useEdit<Item extends EditedItem>(
  item: Item,
  { read, save, planName }: EditActions<Item>,
) {
  // The item when the form opened. It may be refetched while the form is open.
  const [opened] = useState(item);
  const [seen, setSeen] = useState(item);
  const [conflicts, setConflicts] = useState<readonly Change[]>([]);
  /** Resolves to true when the changes are saved. */
  const action = useAction(async (edited: Partial<Item>) => {
    const changes = changedFields(opened, { ...opened, ...edited });
    if (Object.keys(changes).length === 0) return true;
    for (let base = seen; ; ) {
      try {
        await save(changes, base);
        return true;
      } catch (error) {
        if (!isEditConflict(error)) throw error;
        const current = await read();
        const found = conflictsOf(base, current, changes, planName);
        setSeen(current);
        setConflicts(found);
        if (found.length > 0) return false;
        base = current;
      }
    }
  });
  return { ...action, conflicts };
}
