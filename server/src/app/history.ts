import { sql } from 'kysely';
import { deleteMatching, type Storage } from '../storage/index.ts';

/**
 * Deletes old records that nothing uses any more: leaks that were not reported again, invitations that were accepted,
 * cancelled or have expired, expired setup links, and when mails about notices were last sent. Several nodes
 * may run this at the same time. Returns the number of rows.
 */
export async function sweepHistory(storage: Storage, before: number): Promise<number> {
  const leaks = await deleteMatching(storage, 'leaks', ['id'], sql`updated_at < ${before}`);
  const invitations = await deleteMatching(
    storage,
    'invitations',
    ['id'],
    sql`updated_at < ${before} and (status != 'pending' or expires_at < ${before})`,
  );
  const links = await deleteMatching(
    storage,
    'setup_links',
    ['token_hash'],
    sql`expires_at < ${before}`,
  );
  // A row with `due_at` still has a mail to send.
  const mails = await deleteMatching(
    storage,
    'notice_mails',
    ['project_id', 'kind'],
    sql`sent_at < ${before} and due_at is null`,
  );
  return leaks + invitations + links + mails;
}
