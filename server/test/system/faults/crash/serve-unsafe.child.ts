import { serve } from '../../../../src/app/serve.ts';
import { openSqlite } from '../../../../src/storage/sqlite.ts';

/** The service on a database that never syncs: negative control of the power-loss test. */
await serve([], process.env, (file) => openSqlite({ file, unsafeSynchronousOff: true }));
