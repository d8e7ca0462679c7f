// 8 s of CPU: queries that run until their deadline, as they do not end by themselves.
import { openTestSqlite } from '../storage/open-test-sqlite.ts';
import { storageContract } from './storage.contract.ts';

storageContract('SQLite', openTestSqlite);
