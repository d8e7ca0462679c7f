import { useState } from 'react';
import { setSingleKeyShortcuts, singleKeyShortcutsAreOn } from '../../app/browser/shortcuts.ts';
import { setTheme, useTheme } from '../../app/browser/theme.ts';
import { patternsAreOn, setPatterns } from '../../components/charts/chart-pattern.tsx';
import { Segmented } from '../../components/forms/segmented.tsx';
import { Switch } from '../../components/forms/switch.tsx';
import { Card } from '../../components/layout/card.tsx';
import { localZone, setTimeZone, useTimeZone } from '../../text/time/time-zone.ts';

export function AppearanceCard() {
  const theme = useTheme();
  const zone = useTimeZone();
  const [singleKeys, setOn] = useState(singleKeyShortcutsAreOn);
  const [patterns, setPatternsOn] = useState(patternsAreOn);
  return (
    <Card title="Appearance" description="Saved in this browser only.">
      <div className="flex flex-col gap-5">
        <div className="flex items-center justify-between gap-4">
          <span className="font-medium">Theme</span>
          <Segmented
            label="Theme"
            value={theme}
            options={[
              { value: 'system', label: 'System' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
            onChange={setTheme}
          />
        </div>
        <div className="flex flex-wrap items-center justify-between gap-4">
          <span className="font-medium">Time zone</span>
          <Segmented
            label="Time zone"
            value={zone}
            options={[
              { value: 'local', label: `Local (${localZone()})` },
              { value: 'utc', label: 'UTC' },
            ]}
            onChange={setTimeZone}
          />
        </div>
        <Switch
          label="Single-key shortcuts"
          hint="Press ? to see them all."
          checked={singleKeys}
          onChange={(on) => {
            setOn(on);
            setSingleKeyShortcuts(on);
          }}
        />
        <Switch
          label="Patterns in charts"
          hint="Distinguishes series without their colors."
          checked={patterns}
          onChange={(on) => {
            setPatternsOn(on);
            setPatterns(on);
          }}
        />
      </div>
    </Card>
  );
}
