import type { EngineName, Storage } from '../../src/storage/index.ts';
import { openTestSqlite } from '../storage/open-test-sqlite.ts';
import { LONG_READS } from './long-timeouts.ts';
import { openTestPostgres } from './postgres/postgres.ts';

/** The engine of this test project; see vitest.config.ts. */
const TEST_ENGINE: EngineName = process.env.TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';

/** Opens empty storage with the newest schema on that engine. */
export const openTestStorage = (
  read = LONG_READS,
): Promise<{ storage: Storage; dispose(): Promise<void> }> =>
  TEST_ENGINE === 'postgres' ? openTestPostgres({ read }) : openTestSqlite(read);
