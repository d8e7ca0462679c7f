import { openTestSqlite } from '../storage/open-test-sqlite.ts';
import { storageContract } from './storage.contract.ts';

storageContract('SQLite', openTestSqlite);
