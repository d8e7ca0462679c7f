export { type GithubKeys, githubKeysIn, readGithubKeys } from './github.ts';
export { leakRoutes } from './routes.ts';
export { ReportedLeak } from './schema.ts';
export { LeakService } from './service.ts';
