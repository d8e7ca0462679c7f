import type { Project } from '../../api/records.ts';

/**
 * The project of the other environment that goes with this one: of the same name, else one whose
 * name has it within (`Shop` and `Shop sandbox`), else the newest. None when there is none active.
 */
export function matchingProject(
  projects: readonly Project[],
  project: Project,
): Project | undefined {
  const there = projects.filter(
    ({ accountId, env, isActive }) =>
      accountId === project.accountId && env !== project.env && isActive,
  );
  const own = project.name.toLowerCase();
  const isKin = ({ name }: Project) =>
    name.toLowerCase().includes(own) || own.includes(name.toLowerCase());
  return there.find(({ name }) => name.toLowerCase() === own) ?? there.find(isKin) ?? there[0];
}
