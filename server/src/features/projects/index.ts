export { brandingRecord, NO_BRANDING } from './branding.ts';
export { chooseProject } from './choose-project.ts';
export {
  Notices,
  noticesOf,
  noticesOfProjects,
  PERIOD_MS,
  REPEAT_AFTER_MS,
  thresholdsOf,
  UsageEvents,
  usageEventsOf,
} from './notices.ts';
export { ProjectCache } from './project-cache.ts';
export { type ProjectState, ProjectStates } from './project-states.ts';
export { changedBy, createdBy, provenance } from './provenance.ts';
export { projectRoutes } from './routes.ts';
export { Branding, Project, provenanceFields } from './schema.ts';
export { ProjectService, projectColumns, projectRecord } from './service.ts';
export { originsOf, type ProjectRow, projectIn, requireProject } from './store.ts';
