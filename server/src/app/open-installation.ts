import { resolve } from 'node:path';
import type { MakeId } from '../kernel/ids.ts';
import { deriveSecrets, type Secrets } from '../kernel/secrets/crypto.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Storage } from '../storage/index.ts';
import { type MigrationOptions, migrate } from '../storage/migrate.ts';
import { refuseUnfinishedMove } from '../storage/move/move-record.ts';
import { type Config, SettingError } from './config.ts';
import { type FirstBoot, firstBoot, storedCheckValue } from './first-boot.ts';
import { createRootSecret, readRootSecret } from './root-secret.ts';

export interface Installation {
  readonly secrets: Secrets;
  /** The secrets created at the first start; null at later ones. */
  readonly firstBoot: FirstBoot | null;
}

/** Prepares an open database for requests: schema, root secret, first boot. */
export async function openInstallation(
  storage: Storage,
  config: Config,
  ids: MakeId,
  clock: Clock,
  migration?: MigrationOptions,
): Promise<Installation> {
  await migrate(storage, clock(), migration);
  await refuseUnfinishedMove(storage.point);
  const expected = await storedCheckValue(storage);
  const found = readRootSecret(config.dataDir, config.secret);
  if (found === null && expected !== undefined)
    throw new SettingError(
      `The root secret is gone: restore the file \`secret\` in ${resolve(config.dataDir)}, or set KEYWARD_SECRET. Without it, stored keys cannot be validated.`,
    );
  const secrets = deriveSecrets(found ?? createRootSecret(config.dataDir));
  const made =
    expected === undefined
      ? await firstBoot(storage, secrets, ids, clock(), config.bootstrapAccessKey)
      : null;
  const stored = expected ?? (await storedCheckValue(storage));
  if (stored === secrets.checkValue) return { secrets, firstBoot: made };
  throw new SettingError(
    'The root secret does not belong to this database. Set KEYWARD_SECRET to the secret that the database was created with, or restore its file `secret`.',
  );
}
