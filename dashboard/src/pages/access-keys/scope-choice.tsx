import { Notice } from '../../components/feedback/notice.tsx';
import { Checkbox } from '../../components/forms/checkbox.tsx';
import { RadioCards } from '../../components/forms/radio-cards.tsx';
import { PRESETS, type Preset, SCOPE_GROUPS, SCOPES, type Scope } from './scopes.ts';

interface ScopeChoiceProps {
  readonly preset: Preset;
  readonly scopes: readonly Scope[];
  /** Scopes that the user has, and can therefore grant. */
  readonly grantable: ReadonlySet<Scope>;
  onChange(preset: Preset, scopes: readonly Scope[]): void;
}

export function ScopeChoice({ preset, scopes, grantable, onChange }: ScopeChoiceProps) {
  const mayGrant = (wanted: readonly Scope[]) => wanted.every((scope) => grantable.has(scope));
  return (
    <div className="flex flex-col gap-3">
      <RadioCards
        label="Scopes"
        value={preset}
        onChange={(chosen) =>
          onChange(chosen, chosen === 'custom' ? withoutWildcard(scopes) : PRESETS[chosen].scopes)
        }
        options={[
          ...(Object.keys(PRESETS) as (keyof typeof PRESETS)[]).map((value) => ({
            value,
            label: PRESETS[value].label,
            hint: mayGrant(PRESETS[value].scopes)
              ? PRESETS[value].hint
              : 'Only an owner can grant this.',
            disabled: !mayGrant(PRESETS[value].scopes),
          })),
          { value: 'custom', label: 'Custom', hint: 'Select individual scopes.' },
        ]}
      />
      {preset === 'custom' && (
        <ScopeList {...{ scopes, grantable }} onChange={(chosen) => onChange('custom', chosen)} />
      )}
    </div>
  );
}

const withoutWildcard = (scopes: readonly Scope[]): readonly Scope[] =>
  scopes.filter((scope) => scope !== '*');

function ScopeList({
  scopes,
  grantable,
  onChange,
}: {
  readonly scopes: readonly Scope[];
  readonly grantable: ReadonlySet<Scope>;
  onChange(scopes: readonly Scope[]): void;
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
