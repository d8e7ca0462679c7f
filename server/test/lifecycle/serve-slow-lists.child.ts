import { serve } from '../../src/app/serve.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';
import { endlessLists } from '../harness/endless-lists.ts';

/** The service, with lists of leaks that never end. */
await serve([], process.env, async (file) => endlessLists(await openSqlite({ file }), 'leaks'));
