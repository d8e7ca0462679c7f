import { useCallback, useMemo, useState } from 'react';
import type { ApiKey } from '../../../api/records.ts';

export interface KeySelection {
  readonly keys: readonly ApiKey[];
  readonly selected: ReadonlySet<string>;
  toggle(key: ApiKey): void;
  /** These, and no others. */
  select(keys: readonly ApiKey[]): void;
  clear(): void;
}

interface Ticked {
  readonly list: string;
  readonly byId: ReadonlyMap<string, ApiKey>;
}

const NONE: ReadonlyMap<string, ApiKey> = new Map();

/** The keys that are ticked in a list. Another list begins with none: what is out of sight is safe. */
export function useKeySelection(list: string): KeySelection {
  const [ticked, setTicked] = useState<Ticked>({ list, byId: NONE });
  const byId = ticked.list === list ? ticked.byId : NONE;
  const toggle = useCallback(
    (key: ApiKey) =>
      setTicked((before) => {
        const next = new Map(before.list === list ? before.byId : NONE);
        if (!next.delete(key.id)) next.set(key.id, key);
        return { list, byId: next };
      }),
    [list],
  );
  const select = useCallback(
    (keys: readonly ApiKey[]) =>
      setTicked({ list, byId: new Map(keys.map((key) => [key.id, key])) }),
    [list],
  );
  const clear = useCallback(() => setTicked({ list, byId: NONE }), [list]);
  return useMemo(
    () => ({ keys: [...byId.values()], selected: new Set(byId.keys()), toggle, select, clear }),
    [byId, toggle, select, clear],
  );
}
