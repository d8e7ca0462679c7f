import type { Fields, Kind } from '@keyward/rules/resources/field.ts';
import { Fragment, type ReactNode } from 'react';
import { useFindPlan, usePlans } from '../api/plans.ts';
import { useProject } from '../app/current.ts';
import { CreditsField } from '../components/forms/credits-field.tsx';
import { ExpiryField } from '../components/forms/expiry-field.tsx';
import { TextField } from '../components/forms/field.tsx';
import { JsonEditor } from '../components/forms/json-editor.tsx';
import { LimitField } from '../components/forms/limit-field.tsx';
import { LimitsField } from '../components/forms/limits-field.tsx';
import { Select } from '../components/forms/select.tsx';
import type { Errors } from '../hooks/use-draft.ts';
import { timeZone } from '../text/time/time-zone.ts';
import {
  type AnyControlProps,
  type Control,
  type ControlProps,
  type FormTexts,
  hintOf,
  textProps,
} from './control.ts';
import type { DraftOf } from './drafts.ts';
import {
  AddressesControl,
  DomainsControl,
  OriginsControl,
  PermissionsControl,
  ResourcesControl,
  TagsControl,
} from './list-controls.tsx';
import { ScopesControl } from './scopes-control.tsx';
import { inOrder } from './texts.ts';

const oneLine =
  (maxLength: number, type = 'text') =>
  (props: AnyControlProps<string>) => (
    <TextField {...textProps(props)} {...{ type, maxLength }} autoComplete="off" />
  );

/** A control that shows by itself that it can be left out. */
function ownProps<Value>(props: AnyControlProps<Value>) {
  const { optional: _, placeholder: __, hint = '', ...own } = textProps(props);
  return { ...own, hint };
}

/** The control of each kind of value. */
const CONTROLS: { readonly [K in Kind]: Control<K> } = {
  name: oneLine(256),
  email: oneLine(320, 'email'),
  prefix: oneLine(33),
  text: (props) => (
    <TextField {...textProps(props)} maxLength={props.field.max} autoComplete="off" />
  ),
  choice: (props) => (
    <Select
      {...ownProps(props)}
      options={props.field.options.map((value) => ({
        value,
        label: value[0]!.toUpperCase() + value.slice(1),
      }))}
    />
  ),
  scopes: ScopesControl,
  expiry: ({ value, hint, error, onChange }) => (
    <ExpiryField {...{ value, error, onChange }} {...(hint && { hint })} />
  ),
  plan: PlanControl,
  limit: (props) => <LimitField {...ownProps(props)} />,
  limits: LimitsControl,
  credits: (props) => <CreditsField {...ownProps(props)} of="pool" initial={props.before} />,
  planCredits: (props) => <CreditsField {...ownProps(props)} of="plan" initial={props.before} />,
  domains: DomainsControl,
  units: oneLine(640),
  origins: OriginsControl,
  permissions: PermissionsControl,
  addresses: AddressesControl,
  resources: ResourcesControl,
  time: (props) => (
    <TextField
      {...textProps(props)}
      type="datetime-local"
      hint={`${hintOf(props)?.replace(/\.$/, '') ?? ''} (${timeZone()}).`}
    />
  ),
  tags: TagsControl,
  metadata: (props) => <JsonEditor {...textProps(props)} />,
};

function LimitsControl(props: ControlProps<'limits'>) {
  return <LimitsField {...ownProps(props)} units={useProject().units} />;
}

interface PlanControlProps extends ControlProps<'plan'> {
  /** Names what applies without a plan, from the default of the project. */
  unset?(inherited: string): string;
}

export function PlanControl({ unset = ofNone, ...props }: PlanControlProps) {
  const { value } = props;
  const project = useProject();
  const plans = usePlans(project.id).data ?? [];
  const fallback = useFindPlan(project.id)(project.defaultPlanId);
  const inherited = fallback ? `project default, ${fallback.name}` : 'project default, none';
  return (
    <Select
      {...textProps(props)}
      hint="The plan’s permissions and credits apply unless set here. A limit here replaces the plan’s limit of the same name."
      options={[
        { value: '', label: unset(inherited) },
        ...plans.map(({ id, name }) => ({ value: id, label: name })),
        ...(value !== '' && plans.every(({ id }) => id !== value) ? [{ value, label: value }] : []),
      ]}
    />
  );
}

const ofNone = (inherited: string) => `No plan of its own (${inherited})`;

type OfField<Fs extends Fields, Of extends { readonly [K in Kind]: unknown }> = {
  readonly [N in keyof Fs]?: Of[Fs[N]['kind']];
};

type AnyControl = (props: AnyControlProps<unknown>) => ReactNode;

interface FieldControlsProps<Fs extends Fields> {
  readonly fields: Fs;
  readonly draft: DraftOf<Fs>;
  /** The draft of the record, before anything was edited or prefilled. */
  readonly before: DraftOf<Fs>;
  readonly errors: Errors<DraftOf<Fs>>;
  onChange(draft: DraftOf<Fs>): void;
  readonly texts?: FormTexts<Fs>;
  /** Controls that only this form has. */
  readonly own?: OfField<Fs, typeof CONTROLS>;
  /** What the form has after a field. */
  readonly after?: { readonly [N in keyof Fs]?: ReactNode };
}

/** The controls of a form, one for each field. */
export function FieldControls<Fs extends Fields>(props: FieldControlsProps<Fs>) {
  const { fields, draft, before, errors, onChange, texts, own, after } = props;
  return rowsOf(fields).map((row) => {
    const controls = row.map(([name, field]) => {
      // The kind of the draft and of the control is that of the field.
      const Control = (own?.[name] ?? CONTROLS[field.kind]) as unknown as AnyControl;
      return (
        <Fragment key={name}>
          <Control
            {...texts?.[name]}
            field={field}
            value={draft[name]}
            before={before[name]}
            error={errors[name] ?? null}
            onChange={(value) => onChange({ ...draft, [name]: value })}
          />
          {after?.[name]}
        </Fragment>
      );
    });
    return row.length === 1 ? (
      controls
    ) : (
      <div key={row[0]![0]} className="grid items-start gap-4 sm:grid-cols-2">
        {controls}
      </div>
    );
  });
}

const SHORT: ReadonlySet<Kind> = new Set(['name', 'text', 'email', 'time', 'tags']);

/** Short fields that follow each other share a row. */
function rowsOf<Fs extends Fields>(fields: Fs) {
  const rows: ReturnType<typeof inOrder<Fs>>[] = [];
  let wasShort = false;
  for (const entry of inOrder(fields)) {
    const isShort = SHORT.has(entry[1].kind) && !entry[1].required;
    if (isShort && wasShort) rows.at(-1)!.push(entry);
    else rows.push([entry]);
    wasShort = isShort;
  }
  return rows;
}
