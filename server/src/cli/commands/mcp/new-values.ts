import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { ApiKey } from 'keyward';
import { maskValue } from '../../../kernel/secrets/key-values.ts';

/** What becomes of the values of new keys: shown to the agent, stored in a file only, or the agent makes no keys. */
export type ValuesOfNewKeys = 'shown' | 'none' | { readonly file: string };

export class NewValues {
  readonly #values: ValuesOfNewKeys;

  constructor(values: ValuesOfNewKeys) {
    this.#values = values;
  }

  /** Creates a key and returns it as the agent may see it, with a sentence on where its value is. */
  async keep(create: () => Promise<ApiKey>): Promise<{ key: ApiKey; note: string }> {
    if (this.#values === 'shown')
      return { key: await create(), note: 'Its value is shown only in this result.' };
    if (this.#values === 'none')
      throw new Error(
        'Nothing was changed, because nobody has said where the value of the new key should go. Ask the user to start `npx keyward mcp` with --values-file FILE, or with --show-values if you may see values.',
      );
    const { file: path } = this.#values;
    // Opened first: a value that cannot be stored would be lost.
    const file = await openOwn(path).catch((error: Error) => {
      throw new Error(
        `Nothing was changed, because the value could not be stored: ${error.message}. Choose another file with --values-file.`,
      );
    });
    try {
      const created = await create();
      await append(file, created);
      return {
        key: { ...created, key: maskValue(created.key) },
        note: `Its value is in ${path}, on the machine of the user; it is not shown here.`,
      };
    } finally {
      await file.close();
    }
  }
}

/** No link and no pipe, which may lead anywhere and never end. Windows has no such flags. */
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const APPEND = O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK;

/** A file that only this user can read, also if it was there before. */
async function openOwn(path: string): Promise<FileHandle> {
  const file = await open(path, APPEND, 0o600);
  try {
    const found = await file.stat();
    // Before the mode is changed: as root, that would be the mode of a device for everybody.
    if (!found.isFile()) throw new Error(`${path} is not a regular file`);
    if (process.getuid !== undefined && found.uid !== process.getuid())
      throw new Error(`${path} belongs to another user`);
    await file.chmod(0o600);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function append(file: FileHandle, created: ApiKey): Promise<void> {
  const { id, name, key, createdAt, rotatedFrom } = created;
  try {
    await file.appendFile(`${JSON.stringify({ id, name, key, createdAt })}\n`);
    await file.sync();
  } catch (error) {
    const done = rotatedFrom === null ? 'was created' : `replaces ${rotatedFrom}`;
    throw new Error(
      `${id} ${done}, but its value could not be stored: ${(error as Error).message}. Rotate ${id} when the file can be written again.`,
    );
  }
}
