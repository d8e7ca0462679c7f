import { openTestPostgres } from '../harness/postgres/postgres.ts';
import { storageContract } from './storage.contract.ts';

storageContract('PostgreSQL', (read) => openTestPostgres(read && { read }));
