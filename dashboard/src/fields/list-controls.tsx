import { useUsedPolicies } from '../api/api-keys.ts';
import { useProject } from '../app/current.ts';
import { TextArea, TextField } from '../components/forms/field.tsx';
import {
  addressesProblem,
  itemsOf,
  permissionsProblem,
  tagsProblem,
  wildcardExamples,
} from '../text/limits/policies.ts';
import { type ControlProps, hintOf, textProps } from './control.ts';

/** Permissions, one per line, checked while typing. */
export function PermissionsControl(props: ControlProps<'permissions'>) {
  const { value, error, onChange } = props;
  const used = useUsedPolicies(useProject().id).data?.permissions ?? [];
  return (
    <TextArea
      {...textProps(props)}
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
      error={error ?? permissionsProblem(value)}
    />
  );
}

export const AddressesControl = (props: ControlProps<'addresses'>) => (
  <TextArea
    {...textProps(props)}
    rows={2}
    spellCheck={false}
    placeholder={'203.0.113.7\n10.0.0.0/8'}
    hint="Addresses or CIDR ranges, one per line. Requests from other addresses are refused."
    error={props.error ?? addressesProblem(props.value)}
  />
);

export const DomainsControl = (props: ControlProps<'domains'>) => (
  <TextArea
    {...textProps(props)}
    rows={2}
    spellCheck={false}
    placeholder={'app.example.com\n*.example.org'}
    hint="One per line. Requests from other domains are refused, based on the x-origin-domain header."
  />
);

export const OriginsControl = (props: ControlProps<'origins'>) => (
  <TextArea {...textProps(props)} rows={3} spellCheck={false} autoComplete="off" />
);

export const ResourcesControl = (props: ControlProps<'resources'>) => (
  <TextArea
    {...textProps(props)}
    rows={3}
    spellCheck={false}
    placeholder={'POST:/v1/chat\nGET:/v1/*'}
    hint="One per line. Usage is counted under the first that matches the resource of a request, else as other."
  />
);

/** Tags, separated by spaces. */
export function TagsControl(props: ControlProps<'tags'>) {
  const { value, error, onChange } = props;
  const used = useUsedPolicies(useProject().id).data?.tags ?? [];
  return (
    <TextField
      {...textProps(props)}
      spellCheck={false}
      autoComplete="off"
      placeholder="beta eu-west"
      hint={
        <>
          {hintOf(props)?.replace(/\.$/, '')}, separated by spaces.
          <Suggestions
            items={used}
            text={value}
            onAdd={(item) => onChange(`${value} ${item}`.trim())}
          />
        </>
      }
      error={error ?? tagsProblem(value)}
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
