import { serve } from '../../src/app/serve.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';

/** The service on a database that never syncs: what the power-loss test must be able to catch. */
await serve([], process.env, (file) => openSqlite({ file, unsafeSynchronousOff: true }));
