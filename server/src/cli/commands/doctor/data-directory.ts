import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../../app/config.ts';
import { versionOfFile } from '../../../storage/files/copy-database.ts';
import { schemaVersion } from '../../../storage/migrate.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const MEGABYTE = 1024 ** 2;
/** The reserve for a full disk, and a copy of a small database. */
const FREE_MB_MIN = 64;
const FREE_MB_WISHED = 1024;
const OTHERS_MAY_READ = 0o077;

/** Permissions, space, the root secret and the version of the embedded database. */
export function checkDataDirectory(config: Config): Finding[] {
  const path = resolve(config.dataDir);
  const found = [spaceAt(existing(path))];
  if (!existsSync(path)) {
    if (config.databaseUrl === null)
      found.unshift(
        isWritable(existing(path))
          ? ok(`data directory ${path}: the first start creates it`)
          : problem(
              `data directory ${path} cannot be created by this user`,
              'Create it and give it to the user of the server, or choose another with --data-dir.',
            ),
      );
    return found;
  }
  if (!isWritable(path))
    found.unshift(
      problem(
        `data directory ${path} is not writable for this user`,
        'Run this command as the user of the server, or give the directory to that user: chown -R USER DIRECTORY.',
      ),
    );
  return [...found, ...secretIn(path, config), ...databaseIn(path, config)];
}

const existing = (path: string): string =>
  existsSync(path) || path === dirname(path) ? path : existing(dirname(path));

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function spaceAt(path: string): Finding {
  const { bavail, bsize } = statfsSync(path);
  const free = Math.floor((bavail * bsize) / MEGABYTE);
  const what = `disk: ${free.toLocaleString('en-GB')} MB free at ${path}`;
  if (free < FREE_MB_MIN)
    return problem(what, 'Free some space: soon only revocations are possible.');
  if (free < FREE_MB_WISHED)
    return warning(
      what,
      'A backup needs as much space as the database: watch the alert on free space.',
    );
  return ok(what);
}

function secretIn(path: string, { secret }: Config): Finding[] {
  const file = join(path, 'secret');
  if (secret !== null) return [ok('root secret: KEYWARD_SECRET')];
  if (!existsSync(file))
    return existsSync(join(path, 'keyward.db'))
      ? [
          problem(
            `root secret: ${file} is gone, and the database needs it`,
            'Restore the file from your backup, or set KEYWARD_SECRET. Without it, no stored key can be validated.',
          ),
        ]
      : [];
  const mode = statSync(file).mode & 0o777;
  return (mode & OTHERS_MAY_READ) !== 0 && process.platform !== 'win32'
    ? [problem(`root secret: other users of this machine can read ${file}`, `chmod 600 ${file}`)]
    : [ok(`root secret: ${file}; keep a copy in another place`)];
}

function databaseIn(path: string, { databaseUrl }: Config): Finding[] {
  const file = join(path, 'keyward.db');
  if (databaseUrl !== null || !existsSync(file)) return [];
  const version = versionOfFile(file);
  if (version === undefined)
    return [
      problem(
        `database: ${file} is not a database of Keyward`,
        'Restore a backup with `npx keyward restore`.',
      ),
    ];
  return [versionFinding(`database ${file}`, version)];
}

export function versionFinding(name: string, version: number): Finding {
  if (version > schemaVersion)
    return warning(
      `${name} was upgraded by a newer Keyward (schema ${version}, this one knows ${schemaVersion})`,
      'Install the newer version here too.',
    );
  if (version < schemaVersion)
    return ok(`${name}: the next start upgrades it from schema ${version} to ${schemaVersion}`);
  return ok(`${name}: schema ${version}`);
}
