import { useState } from 'react';
import { useRole } from '../app/session/permissions.ts';
import { Notice } from '../components/feedback/notice.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { RadioCards } from '../components/forms/radio-cards.tsx';
import type { ControlProps } from './control.ts';
import {
  grantableBy,
  PRESETS,
  type Preset,
  presetOf,
  SCOPE_GROUPS,
  SCOPES,
  type Scope,
} from './scopes.ts';

/** A preset, or single scopes. Only scopes that the user has can be granted. */
export function ScopesControl({ value: scopes, error, onChange }: ControlProps<'scopes'>) {
  const grantable = grantableBy(useRole());
  const [isCustom, setCustom] = useState(false);
  const preset = isCustom ? 'custom' : presetOf(scopes);
  const mayGrant = (wanted: readonly Scope[]) => wanted.every((scope) => grantable.has(scope));

  function choose(chosen: Preset) {
    setCustom(chosen === 'custom');
    onChange(chosen === 'custom' ? withoutWildcard(scopes) : [...PRESETS[chosen].scopes]);
  }

  return (
    <div className="flex flex-col gap-3">
      <RadioCards
        label="Scopes"
        value={preset}
        onChange={choose}
        options={[
          ...(Object.keys(PRESETS) as (keyof typeof PRESETS)[]).map((name) => ({
            value: name,
            label: PRESETS[name].label,
            hint: mayGrant(PRESETS[name].scopes)
              ? PRESETS[name].hint
              : 'Only an owner can grant this.',
            disabled: !mayGrant(PRESETS[name].scopes),
          })),
          { value: 'custom', label: 'Custom', hint: 'Select individual scopes.' },
        ]}
      />
      {preset === 'custom' && <ScopeList {...{ scopes, grantable, onChange }} />}
      {error && (
        <p role="alert" className="text-bad text-sm">
          {error}
        </p>
      )}
    </div>
  );
}

const withoutWildcard = (scopes: readonly Scope[]): Scope[] =>
  scopes.filter((scope) => scope !== '*');

function ScopeList({
  scopes,
  grantable,
  onChange,
}: {
  readonly scopes: readonly Scope[];
  readonly grantable: ReadonlySet<Scope>;
  onChange(scopes: Scope[]): void;
}) {
  const set = (scope: Scope, on: boolean) =>
    onChange(on ? [...scopes, scope] : scopes.filter((one) => one !== scope));
  return (
    <div className="flex flex-col gap-4 rounded-lg border border-line p-4">
      {SCOPE_GROUPS.map((group) => (
        <fieldset key={group.label} className="min-w-0">
          <legend className="mb-2 font-medium text-muted text-xs">{group.label}</legend>
          <div className="grid gap-3 sm:grid-cols-2">
            {group.scopes.map((scope) => (
              <Checkbox
                key={scope}
                label={
                  <>
                    {SCOPES[scope].label} <code className="text-muted text-xs">{scope}</code>
                  </>
                }
                hint={
                  grantable.has(scope) ? SCOPES[scope].means : 'Your role does not include this.'
                }
                checked={scopes.includes(scope)}
                disabled={!grantable.has(scope) && !scopes.includes(scope)}
                onChange={(on) => set(scope, on)}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <Notice>You can grant only scopes that you have.</Notice>
    </div>
  );
}
