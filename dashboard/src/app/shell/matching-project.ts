import type { Project } from 'keyward';

/**
 * The matching active project of the other environment: one with the same name, else one whose name
 * contains the other (`Shop` and `Shop sandbox`), else the newest.
 */
export function matchingProject(
  projects: readonly Project[],
  project: Project,
): Project | undefined {
  const candidates = projects.filter(
    ({ accountId, env, isActive }) =>
      accountId === project.accountId && env !== project.env && isActive,
  );
  const own = project.name.toLowerCase();
  const isSimilar = ({ name }: Project) =>
    name.toLowerCase().includes(own) || own.includes(name.toLowerCase());
  return (
    candidates.find(({ name }) => name.toLowerCase() === own) ??
    candidates.find(isSimilar) ??
    candidates[0]
  );
}
