import { type Field, type Fields, fieldsOf, type Kind } from '@keyward/rules/resources/field.ts';
import { Fragment, type ReactNode } from 'react';
import { useFindPlan } from '../api/plans.ts';
import { useProject } from '../app/current.ts';
import { DateTime } from '../components/display/date-time.tsx';
import { Fact, None } from '../components/display/fact.tsx';
import { PlanLink } from '../components/display/links.tsx';
import type { Column } from '../components/tables/column.ts';
import type { Stored } from './drafts.ts';
import { inOrder, valueText } from './texts.ts';

interface ValueKind {
  /** Shown in details if the field is not set. */
  readonly unset: string;
  /** The width of its column. */
  readonly width: string;
  /** By default, the text of the value. */
  show?(value: never): ReactNode;
}

const TEXT = { unset: '—', width: 'minmax(6rem, 1fr)' };
const LIST = { unset: 'None', width: 'minmax(6rem, 1fr)' };
const TERMS = { unset: 'None', width: 'minmax(8rem, 1fr)' };
const TIME = { unset: '—', width: 'minmax(5.75rem, 6.75rem)' };
const exact = (at: string) => <DateTime at={at} form="exact" />;

/** How each kind of value is shown in details and tables. */
const VALUES: { readonly [K in Kind]: ValueKind } = {
  name: TEXT,
  text: TEXT,
  email: TEXT,
  prefix: TEXT,
  choice: TEXT,
  metadata: TEXT,
  scopes: LIST,
  tags: LIST,
  permissions: LIST,
  origins: LIST,
  units: LIST,
  domains: { ...LIST, unset: 'Any' },
  addresses: { ...LIST, unset: 'Any' },
  resources: LIST,
  limit: TERMS,
  limits: TERMS,
  credits: TERMS,
  planCredits: TERMS,
  plan: { ...LIST, show: (id: string) => <PlanValue id={id} /> },
  time: { ...TIME, show: exact },
  expiry: { ...TIME, unset: 'Never', show: exact },
};

function PlanValue({ id }: { readonly id: string }) {
  const project = useProject();
  const plan = useFindPlan(project.id)(id);
  return (
    <PlanLink projectId={project.id} id={id}>
      {plan?.name ?? id}
    </PlanLink>
  );
}

/** Plans are shown by `PlanValue`. */
const idOfPlan = (id: string) => id;

function shown(field: Field, value: unknown, unset?: string): ReactNode {
  const kind = VALUES[field.kind];
  const text = valueText(field, value, idOfPlan);
  if (text === null) return <None text={unset ?? kind.unset} />;
  return kind.show ? kind.show(value as never) : text;
}

const labelOf = ({ kind, label }: Field) => (kind === 'expiry' ? 'Expires' : label);

interface FieldFactsProps<Fs extends Fields> {
  readonly fields: Fs;
  readonly record: Stored<Fs>;
  /** Facts that are shown in another way; null, if they are shown elsewhere. */
  readonly own: { readonly [N in keyof Fs]?: ReactNode };
  /** The form of a fact. */
  readonly Row?: typeof Fact;
}

/** The fields of a record, as entries of a `dl`. */
export const FieldFacts = <Fs extends Fields>({
  fields,
  record,
  own,
  Row = Fact,
}: FieldFactsProps<Fs>) =>
  inOrder(fields).map(([name, field]) => (
    <Fragment key={name}>
      {name in own ? own[name] : <Row label={labelOf(field)}>{shown(field, record[name])}</Row>}
    </Fragment>
  ));

/** Columns of the listed fields, except those that the table shows in another way, or leaves out. */
export const listedColumns = <Fs extends Fields>(fields: Fs, except: readonly (keyof Fs)[]) =>
  fieldsOf(fields)
    .filter(([name, { listed }]) => listed && !except.includes(name))
    .map(
      ([name, field]): Column<Stored<Fs>> => ({
        id: name,
        header: labelOf(field),
        width: VALUES[field.kind].width,
        optional: 4,
        cell: (record) => shown(field, record[name], '—'),
      }),
    );
