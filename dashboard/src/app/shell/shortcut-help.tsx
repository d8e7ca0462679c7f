import { useState } from 'react';
import { Kbd } from '../../components/buttons/kbd.tsx';
import { Switch } from '../../components/forms/switch.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import {
  setSingleKeyShortcuts,
  singleKeyShortcutsAreOn,
  useShortcuts,
} from '../browser/shortcuts.ts';

export function ShortcutHelp({ open, onClose }: { readonly open: boolean; onClose(): void }) {
  const shortcuts = useShortcuts();
  const [on, setOn] = useState(singleKeyShortcutsAreOn);
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" size="md">
      <ul className="grid gap-x-10 gap-y-1 sm:grid-cols-2">
        {shortcuts.map(({ keys, label }) => (
          <li key={keys} className="flex min-h-8 items-center justify-between gap-4">
            {label}
            <Kbd keys={keys} />
          </li>
        ))}
      </ul>
      <div className="mt-5 border-line border-t pt-4">
        <Switch
          label="Single-key shortcuts"
          hint="Turn these off if you use voice input or press them by accident."
          checked={on}
          onChange={(checked) => {
            setOn(checked);
            setSingleKeyShortcuts(checked);
          }}
        />
      </div>
    </Dialog>
  );
}
