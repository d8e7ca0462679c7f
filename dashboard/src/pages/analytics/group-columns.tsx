import type { QueryOf } from 'keyward';
import { AccessKeyLink, CustomerLink, KeyLink, PlanLink } from '../../components/display/links.tsx';
import type { Column } from '../../components/tables/column.ts';
import { asPercent, wholeNumber } from '../../text/numbers.ts';
import { changeText, type Group } from './usage-groups.ts';

export type Grouping = QueryOf<'getUsage'>['groupBy'];

export const GROUPINGS: readonly { readonly value: Grouping; readonly label: string }[] = [
  { value: 'outcome', label: 'Outcome' },
  { value: 'key', label: 'Key' },
  { value: 'customAccountId', label: 'Customer' },
  { value: 'customUserId', label: 'User' },
  { value: 'plan', label: 'Plan' },
  { value: 'accessKey', label: 'Access key' },
];

/** Display name of a group. */
export const groupName = ({ id, name }: Group): string => name ?? id ?? 'None';

export function groupColumns(
  by: Grouping,
  projectId: string,
  { compares, costs }: { readonly compares: boolean; readonly costs: boolean },
): readonly Column<Group>[] {
  const columns: Column<Group>[] = [
    {
      id: 'group',
      header: GROUPINGS.find(({ value }) => value === by)!.label,
      width: 'minmax(8rem, 2fr)',
      cell: (group) => <GroupName group={group} by={by} projectId={projectId} />,
    },
    {
      id: 'total',
      header: 'Validations',
      width: 'minmax(5rem, 1fr)',
      align: 'end',
      cell: ({ total }) => wholeNumber(total),
    },
  ];
  if (costs)
    columns.push({
      id: 'cost',
      header: 'Cost',
      width: 'minmax(5rem, 1fr)',
      align: 'end',
      cell: ({ cost }) => wholeNumber(cost),
    });
  if (by !== 'outcome')
    columns.push(
      {
        id: 'valid',
        header: 'Valid',
        width: 'minmax(4rem, 1fr)',
        align: 'end',
        optional: 1,
        cell: ({ valid, total }) => (total === 0 ? '—' : asPercent(valid / total)),
      },
      {
        id: 'limited',
        header: 'Rate limited',
        width: 'minmax(6rem, 1fr)',
        align: 'end',
        optional: 2,
        cell: ({ limited }) => wholeNumber(limited),
      },
    );
  if (compares)
    columns.push(
      {
        id: 'before',
        header: 'Previous period',
        width: 'minmax(6rem, 1fr)',
        align: 'end',
        optional: 1,
        cell: ({ before }) => wholeNumber(before ?? 0),
      },
      {
        id: 'change',
        header: 'Change',
        width: '5rem',
        align: 'end',
        cell: ({ total, before }) => changeText(total, before ?? 0),
      },
    );
  return columns;
}

interface GroupNameProps {
  readonly group: Group;
  readonly by: Grouping;
  readonly projectId: string;
}

/** Groups that have a page. */
const LINKS: Partial<Record<Grouping, typeof KeyLink>> = {
  key: KeyLink,
  customAccountId: CustomerLink,
  plan: PlanLink,
  accessKey: AccessKeyLink,
};

function GroupName({ group, by, projectId }: GroupNameProps) {
  const text = groupName(group);
  const GroupLink = LINKS[by];
  if (group.id && GroupLink)
    return (
      <GroupLink
        projectId={projectId}
        id={group.id}
        className="font-medium underline-offset-2 hover:underline"
      >
        {text}
      </GroupLink>
    );
  return <span className={group.id === null ? 'text-muted' : 'font-medium'}>{text}</span>;
}
