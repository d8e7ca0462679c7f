import type { Route } from '../../kernel/route.ts';
import { createProject } from './routes/create-project.ts';
import { deleteProject } from './routes/delete-project.ts';
import { getProject } from './routes/get-project.ts';
import { listProjects } from './routes/list-projects.ts';
import { reactivateProject } from './routes/reactivate-project.ts';
import { updateProject } from './routes/update-project.ts';
import type { ProjectService } from './service.ts';

export { type ProjectState, ProjectStates } from './project-states.ts';
export { ProjectsAtHand } from './projects-at-hand.ts';
export { changedBy, createdBy, provenance } from './provenance.ts';
export { Project, provenanceFields } from './schema.ts';
export { ProjectService, projectRecord } from './service.ts';
export { projectIn } from './store.ts';

export const projectRoutes = (service: ProjectService): Route[] => [
  createProject(service),
  listProjects(service),
  getProject(service),
  updateProject(service),
  deleteProject(service),
  reactivateProject(service),
];
