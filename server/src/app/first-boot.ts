import type { MakeId } from '../kernel/ids.ts';
import { randomToken, type Secrets, sha256 } from '../kernel/secrets/crypto.ts';
import { generateValue, shapeOf } from '../kernel/secrets/key-values.ts';
import type { Storage } from '../storage/index.ts';
import { refuseUnfinishedMove } from '../storage/move/move-record.ts';
import { CHECK_VALUE } from '../storage/schema/installation.ts';
import { SettingError } from './config.ts';
import { firstRows } from './first-rows.ts';

const SETUP_LINK_MS = 7 * 86_400_000;

/** Secrets that are shown once, at the first start. */
export interface FirstBoot {
  readonly accessKey: string;
  readonly setupToken: string;
}

/** The stored check value, to recognize the root secret of this database; undefined before the first boot. */
export async function storedCheckValue(
  storage: Pick<Storage, 'point'>,
): Promise<string | undefined> {
  const row = await storage.point
    .selectFrom('installation')
    .select('value')
    .where('name', '=', CHECK_VALUE)
    .executeTakeFirst();
  return row?.value;
}

/**
 * Creates an account, a live project, an account-level access key and a setup link for the first
 * owner. Null if another node, started at the same time, has created them.
 */
export async function firstBoot(
  storage: Storage,
  secrets: Secrets,
  ids: MakeId,
  now: number,
  bootstrapAccessKey: string | null,
): Promise<FirstBoot | null> {
  const accessKey = bootstrapAccessKey ?? generateValue('account_access_');
  if (shapeOf(accessKey) === 'malformed')
    throw new SettingError(
      'KEYWARD_BOOTSTRAP_ACCESS_KEY looks like an id, or like a generated key with a wrong checksum.',
    );
  const setupToken = randomToken();
  const { account, project, firstKey, audit } = firstRows(secrets, ids, now, accessKey);
  return storage.transaction(async (tx) => {
    await storage.lock(tx, CHECK_VALUE);
    await refuseUnfinishedMove(tx);
    if ((await storedCheckValue({ point: tx })) !== undefined) return null;
    await tx.insertInto('accounts').values(account).execute();
    await tx.insertInto('projects').values(project).execute();
    await tx.insertInto('access_keys').values(firstKey).execute();
    await tx.insertInto('audit_log').values(audit).execute();
    await tx
      .insertInto('setup_links')
      .values({
        token_hash: sha256(setupToken),
        account_id: account.id,
        expires_at: now + SETUP_LINK_MS,
        used_at: null,
        created_at: now,
      })
      .execute();
    await tx
      .insertInto('installation')
      .values({ name: CHECK_VALUE, value: secrets.checkValue })
      .execute();
    return { accessKey, setupToken };
  });
}
