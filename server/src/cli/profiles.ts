import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from './failure.ts';
import type { Terminal } from './terminal/terminal.ts';

/** A server and the access key to call it with. They are only used together, so that no key is sent to another server. */
export interface Profile {
  readonly url: string;
  readonly accessKey: string;
}

export interface Profiles {
  /** The one that commands use without `--profile`. */
  readonly current: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Environment = Pick<Terminal, 'env'>;

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const OTHERS_MAY_READ = 0o077;
const NONE: Profiles = { current: null, profiles: {} };

/** null: the environment names no home directory. */
function fileIn({ env }: Environment): string | null {
  const home = env.HOME || env.USERPROFILE;
  const folder = env.XDG_CONFIG_HOME || (home && join(home, '.config'));
  return folder ? join(folder, 'keyward', 'profiles.json') : null;
}

export function checkProfileName(name: string): string {
  if (NAME.test(name)) return name;
  throw new UsageError(
    `${JSON.stringify(name)} is no name of a profile: use up to 64 letters, digits, dots, dashes and underscores`,
  );
}

/** Without a file: no profiles. Throws if other users of the machine can read the access keys in it. */
export function readProfiles(terminal: Environment): Profiles {
  const file = fileIn(terminal);
  const text = file && readIfThere(file);
  if (file === null || text === null) return NONE;
  if (process.platform !== 'win32' && (statSync(file).mode & OTHERS_MAY_READ) !== 0)
    throw new Error(
      `other users of this machine can read the access keys in ${file}. Run: chmod 600 ${file}`,
    );
  const stored = parsed(text);
  if (stored === null)
    throw new Error(`${file} is damaged. Delete it, and run \`npx keyward login\` again.`);
  return stored;
}

/** Replaces the file as a whole, readable for its owner only. Returns its name. */
export function writeProfiles(terminal: Environment, profiles: Profiles): string {
  const file = fileIn(terminal);
  if (file === null)
    throw new Error('profiles are stored in your home directory: set HOME or XDG_CONFIG_HOME.');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return file;
}

/** The named profile. Throws if there is none. */
export function namedProfile({ profiles }: Profiles, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile) return profile;
  const names = Object.keys(profiles);
  throw new UsageError(
    `there is no profile ${JSON.stringify(name)}. ${names.length === 0 ? 'Make one with `npx keyward login`' : `Profiles: ${names.join(', ')}`}`,
  );
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parsed(text: string): Profiles | null {
  try {
    const { current, profiles } = JSON.parse(text) as Profiles;
    const areProfiles = Object.values(profiles).every(
      ({ url, accessKey }) => typeof url === 'string' && typeof accessKey === 'string',
    );
    return areProfiles && (current === null || Object.hasOwn(profiles, current))
      ? { current, profiles }
      : null;
  } catch {
    return null;
  }
}
