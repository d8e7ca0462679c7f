import type { TestProject } from 'vitest/node';
import { startPostgresServer } from './postgres-server.ts';

/** Once for a run of Vitest: a PostgreSQL server, or the one that TEST_DATABASE_URL names. */
export default async function setup(
  project: TestProject,
): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined) {
    project.provide('postgresUrl', given);
    return undefined;
  }
  const server = await startPostgresServer();
  project.provide('postgresUrl', server.url);
  return () => server.dispose();
}
