import type { Storage } from '../../storage/index.ts';

/** Sessions, challenges, links and known browsers whose time is over. */
export async function sweepPeople(storage: Storage, now: number): Promise<void> {
  await storage.transaction(async (tx) => {
    await tx.deleteFrom('sessions').where('expires_at', '<=', now).execute();
    await tx.deleteFrom('verifications').where('expires_at', '<=', now).execute();
    await tx.deleteFrom('known_browsers').where('expires_at', '<=', now).execute();
  });
}
