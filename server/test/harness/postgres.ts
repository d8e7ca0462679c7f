import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser's address of the PostgreSQL server that all tests of this run share. */
    postgresUrl: string;
  }
}

export interface FreshPostgres {
  readonly url: string;
  /** Ends whatever is still connected. */
  dispose(): Promise<void>;
}

/** A database of its own on the server of this run, empty. */
export async function freshPostgres(): Promise<FreshPostgres> {
  const server = inject('postgresUrl');
  const name = `keyward_${randomUUID().replaceAll('-', '')}`;
  await administer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    dispose: () => administer(server, `drop database if exists ${name} with (force)`),
  };
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
