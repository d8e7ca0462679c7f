import type { BodyOf } from 'keyward';
import { keyward } from './client.ts';
import { invalidateWorkspace } from './workspace.ts';

export async function createProject(body: BodyOf<'createProject'>, idempotencyKey: string) {
  const project = await keyward.projects.create(body, { idempotencyKey });
  await invalidateWorkspace();
  return project;
}

export const fetchProject = (id: string) => keyward.projects.get(id);

export async function updateProject(
  id: string,
  body: BodyOf<'updateProject'>,
  ifUpdatedAt: string,
) {
  await keyward.projects.update(id, body, { ifUpdatedAt });
  await invalidateWorkspace();
}

/** Its keys are refused with 404 until it is reactivated. */
export async function deactivateProject(id: string) {
  await keyward.projects.deactivate(id);
  await invalidateWorkspace();
}

export async function reactivateProject(id: string) {
  await keyward.projects.reactivate(id);
  await invalidateWorkspace();
}
