import type { EngineName, Storage } from '../../src/storage/index.ts';
import { openTestSqlite } from '../storage/open-test-sqlite.ts';
import { openTestPostgres } from './postgres.ts';

/** The engine that the tests of this project run on: see vitest.config.ts. */
const TEST_ENGINE: EngineName = process.env.TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';

/** A storage with the newest schema and nothing in it, on that engine. */
export const openTestStorage = (): Promise<{ storage: Storage; dispose(): Promise<void> }> =>
  TEST_ENGINE === 'postgres' ? openTestPostgres() : openTestSqlite();
