import type { Role } from '../../api/me.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { useAccount } from '../../app/current.ts';
import { useOwnProjects, useRole } from '../../app/session/permissions.ts';
import { Checkbox } from '../../components/forms/checkbox.tsx';
import { RadioCards } from '../../components/forms/radio-cards.tsx';
import { rolesUpTo } from '../../text/roles.ts';

export interface RoleChoice {
  readonly role: Role;
  /** Null for all projects. */
  readonly projectIds: readonly string[] | null;
}

interface RoleFieldsProps {
  readonly value: RoleChoice;
  onChange(value: RoleChoice): void;
  /** Error of the projects field. */
  readonly error?: string | undefined;
}

/** Role and projects of a teammate. */
export function RoleFields({ value, onChange, error }: RoleFieldsProps) {
  const own = useRole();
  const account = useAccount();
  const projects = useWorkspace().projects.filter(({ accountId }) => accountId === account.id);
  const mayChooseAll = useOwnProjects() === null;
  const chosen = value.projectIds;
  return (
    <>
      <RadioCards
        label="Role"
        value={value.role}
        options={rolesUpTo(own).map(({ value: role, label, hint }) => ({
          value: role,
          label,
          hint,
        }))}
        onChange={(role) => onChange({ ...value, role })}
      />
      {projects.length > 1 && (
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1.5 font-medium text-sm">Projects</legend>
          {mayChooseAll && (
            <Checkbox
              label="All projects"
              checked={chosen === null}
              onChange={(whole) => onChange({ ...value, projectIds: whole ? null : [] })}
            />
          )}
          {/* Selecting a project limits the role to it. */}
          <div
            className={`flex max-h-48 flex-col gap-2 overflow-y-auto ${mayChooseAll ? 'pl-6' : ''}`}
          >
            {projects.map(({ id, name, env }) => (
              <Checkbox
                key={id}
                label={`${name} (${env})`}
                checked={chosen?.includes(id) ?? false}
                onChange={(on) =>
                  onChange({
                    ...value,
                    projectIds: on
                      ? [...(chosen ?? []), id]
                      : (chosen ?? []).filter((one) => one !== id),
                  })
                }
              />
            ))}
          </div>
          {error && (
            <p role="alert" className="text-bad text-sm">
              {error}
            </p>
          )}
        </fieldset>
      )}
    </>
  );
}

export const NO_PROJECT = 'Select at least one project.';

/** Request body; null while no project is selected. */
export const roleBody = ({ role, projectIds }: RoleChoice) =>
  projectIds?.length === 0
    ? null
    : { role, projectIds: projectIds === null ? null : [...projectIds] };
