import { expect, it } from 'vitest';
import { SettingError } from '../../src/app/config.ts';
import { firstBoot, storedCheckValue } from '../../src/app/first-boot.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { deriveSecrets } from '../../src/kernel/secrets/crypto.ts';
import { openTestStorage } from '../harness/test-storage.ts';

it.each([
  ['an id', 'key_00000000000000000000000000'],
  ['a generated key with a wrong checksum', `account_access_${'A'.repeat(49)}`],
])(
  'a first access key that looks like %s is rejected, and nothing is created',
  async (_, value) => {
    const { storage, dispose } = await openTestStorage();
    const secrets = deriveSecrets('a root secret for this test alone');
    const attempt = firstBoot(storage, secrets, createIds(), 1, value);
    await expect(attempt).rejects.toThrow(SettingError);
    await expect(attempt).rejects.not.toThrow(value);
    expect(await storedCheckValue(storage)).toBeUndefined();
    const rows = await storage.read.selectFrom('accounts').select('id').execute();
    expect(rows).toEqual([]);
    await dispose();
  },
);
