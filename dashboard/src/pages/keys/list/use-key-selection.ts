import type { ApiKey } from 'keyward';
import { useCallback, useMemo, useState } from 'react';

export interface KeySelection {
  readonly keys: readonly ApiKey[];
  readonly selected: ReadonlySet<string>;
  toggle(key: ApiKey): void;
  /** Replaces the selection. */
  select(keys: readonly ApiKey[]): void;
  clear(): void;
}

interface ListSelection {
  readonly list: string;
  readonly byId: ReadonlyMap<string, ApiKey>;
}

const NONE: ReadonlyMap<string, ApiKey> = new Map();

/** The selected keys of a list. Another list starts empty, so that no hidden key is selected. */
export function useKeySelection(list: string): KeySelection {
  const [selection, setSelection] = useState<ListSelection>({ list, byId: NONE });
  const byId = selection.list === list ? selection.byId : NONE;
  const toggle = useCallback(
    (key: ApiKey) =>
      setSelection((before) => {
        const next = new Map(before.list === list ? before.byId : NONE);
        if (!next.delete(key.id)) next.set(key.id, key);
        return { list, byId: next };
      }),
    [list],
  );
  const select = useCallback(
    (keys: readonly ApiKey[]) =>
      setSelection({ list, byId: new Map(keys.map((key) => [key.id, key])) }),
    [list],
  );
  const clear = useCallback(() => setSelection({ list, byId: NONE }), [list]);
  return useMemo(
    () => ({ keys: [...byId.values()], selected: new Set(byId.keys()), toggle, select, clear }),
    [byId, toggle, select, clear],
  );
}
