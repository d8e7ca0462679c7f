import { useUsedPolicies } from '../../api/api-keys.ts';
import { useFindPlan, usePlans } from '../../api/plans.ts';
import { useProject } from '../../app/current.ts';
import { TextArea, TextField } from '../../components/forms/field.tsx';
import { Select } from '../../components/forms/select.tsx';
import {
  addressesProblem,
  itemsOf,
  permissionsProblem,
  tagsProblem,
  wildcardExamples,
} from '../../text/limits/policies.ts';

interface TextProps {
  readonly value: string;
  readonly error: string | null;
  onChange(value: string): void;
}

/** Permissions, one per line, checked while typing. */
export function PermissionsField({ value, error, onChange }: TextProps) {
  const used = useUsedPolicies(useProject().id).data?.permissions ?? [];
  return (
    <TextArea
      label="Permissions"
      optional
      rows={3}
      spellCheck={false}
      placeholder={'documents.read\nbilling.*'}
      hint={
        <>
          One per line. Your API requires them when it validates the key.{' '}
          {wildcardExamples(value) ??
            'A * at the end grants everything that begins with the part before it.'}
          <Suggestions
            items={used}
            text={value}
            onAdd={(item) => onChange(`${value}\n${item}`.trim())}
          />
        </>
      }
      value={value}
      error={error ?? permissionsProblem(value)}
      onChange={onChange}
    />
  );
}

export const AddressesField = ({ value, error, onChange }: TextProps) => (
  <TextArea
    label="Allowed IP addresses"
    optional
    rows={2}
    spellCheck={false}
    placeholder={'203.0.113.7\n10.0.0.0/8'}
    hint="Addresses or CIDR ranges, one per line. Requests from other addresses are refused."
    value={value}
    error={error ?? addressesProblem(value)}
    onChange={onChange}
  />
);

/** Tags, separated by spaces. `what`: the items of the list that they filter. */
export function TagsField({ value, error, onChange, what }: TextProps & { readonly what: string }) {
  const used = useUsedPolicies(useProject().id).data?.tags ?? [];
  return (
    <TextField
      label="Tags"
      optional
      spellCheck={false}
      autoComplete="off"
      placeholder="beta eu-west"
      hint={
        <>
          Labels to filter {what} by, separated by spaces.
          <Suggestions
            items={used}
            text={value}
            onAdd={(item) => onChange(`${value} ${item}`.trim())}
          />
        </>
      }
      value={value}
      error={error ?? tagsProblem(value)}
      onChange={onChange}
    />
  );
}

interface SuggestionsProps {
  readonly items: readonly string[];
  readonly text: string;
  onAdd(item: string): void;
}

const SUGGESTED_MAX = 12;

/** Buttons that add items used by other keys. */
function Suggestions({ items, text, onAdd }: SuggestionsProps) {
  const chosen = new Set(itemsOf(text));
  const others = items.filter((item) => !chosen.has(item)).slice(0, SUGGESTED_MAX);
  if (others.length === 0) return null;
  return (
    <span className="mt-1 flex flex-wrap items-center gap-1.5">
      Used in this project:
      {others.map((item) => (
        <button
          key={item}
          type="button"
          aria-label={`Add ${item}`}
          onClick={() => onAdd(item)}
          className="rounded border border-line px-1.5 py-0.5 font-mono text-ink text-xs hover:border-muted"
        >
          {item}
        </button>
      ))}
    </span>
  );
}

interface PlanFieldProps {
  /** Id of the plan; empty for none. */
  readonly value: string;
  onChange(planId: string): void;
  /** Who has the plan: a key falls back to its customer, a customer to the project. */
  readonly of: 'key' | 'customer';
}

export function PlanField({ value, onChange, of }: PlanFieldProps) {
  const project = useProject();
  const plans = usePlans(project.id).data ?? [];
  const fallback = useFindPlan(project.id)(project.defaultPlanId);
  const inherited = fallback ? `project default, ${fallback.name}` : 'project default, none';
  return (
    <Select
      label="Plan"
      optional
      hint="The plan’s permissions and credits apply unless set here. A limit here replaces the plan’s limit of the same name."
      value={value}
      options={[
        {
          value: '',
          label:
            of === 'key'
              ? `Plan of the customer, or ${inherited}`
              : `No plan of its own (${inherited})`,
        },
        ...plans.map(({ id, name }) => ({ value: id, label: name })),
        ...(value !== '' && plans.every(({ id }) => id !== value) ? [{ value, label: value }] : []),
      ]}
      onChange={onChange}
    />
  );
}
