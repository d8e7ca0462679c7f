import { index, type Migration } from './migration.ts';

/** By which rows are deleted when they are older than KEYWARD_HISTORY_DAYS. */
export const historyIndexes: Migration = {
  version: 27,
  name: 'indexes of rows that are deleted when they are old',
  async up(db) {
    await index(db, 'leaks', ['updated_at']);
    await index(db, 'invitations', ['updated_at']);
    await index(db, 'notice_mails', ['sent_at']);
    await index(db, 'setup_links', ['expires_at']);
  },
};
