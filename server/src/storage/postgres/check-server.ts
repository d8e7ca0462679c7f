import type { SessionPool } from './session-pool.ts';

const VERSION_MIN = 15;

interface ServerSettings {
  /** `remote_apply` if the server uses it, else `on`: weaker settings can lose an acknowledged change. */
  readonly synchronousCommit: string;
}

/** Rejects a server whose version or encoding is not supported. */
export async function checkServer(pool: SessionPool, shown: string): Promise<ServerSettings> {
  const session = await pool.acquire('point').catch((cause: Error) => {
    throw new Error(`PostgreSQL at ${shown} cannot be used. ${cause.message}`, { cause });
  });
  try {
    const { rows } = await session.query(
      `select current_setting('server_version_num') as version,
        current_setting('server_version') as name,
        current_setting('server_encoding') as encoding,
        current_setting('synchronous_commit') as commit`,
    );
    const { version, name, encoding, commit } = rows[0] as Record<string, string>;
    const major = Math.floor(Number(version) / 10_000);
    if (major < VERSION_MIN)
      throw new Error(
        `Keyward needs PostgreSQL ${VERSION_MIN} or newer; the one at ${shown} is ${name}.`,
      );
    if (encoding !== 'UTF8')
      throw new Error(
        `The database at ${shown} is encoded in ${encoding}. Create it with: create database … encoding 'UTF8' template template0`,
      );
    return { synchronousCommit: commit === 'remote_apply' ? 'remote_apply' : 'on' };
  } finally {
    pool.release(session, 'point');
  }
}
