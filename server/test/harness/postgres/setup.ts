import { randomUUID } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../../src/storage/migrate.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { LONG_TIMEOUTS } from '../long-timeouts.ts';
import { administer, databaseUrl } from './database.ts';
import { startPostgresServer } from './server.ts';

/** Starts one PostgreSQL server per Vitest run, or uses the one in TEST_DATABASE_URL. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given === undefined ? await startPostgresServer() : undefined;
  const url = server?.url ?? given!;
  const template = await createTemplate(url);
  project.provide('postgresUrl', url);
  project.provide('postgresTemplate', template);
  return () => server?.dispose() ?? administer(url, `drop database ${template}`);
}

/** A migrated database that each test copies, which is faster than migrating. */
async function createTemplate(server: string): Promise<string> {
  const name = `keyward_template_${randomUUID().replaceAll('-', '')}`;
  await administer(server, `create database ${name}`);
  const storage = await openPostgres({
    url: databaseUrl(server, name),
    poolSize: 2,
    timeouts: LONG_TIMEOUTS,
  });
  await migrate(storage, 0);
  await storage.close();
  return name;
}
