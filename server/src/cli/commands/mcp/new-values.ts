import { type FileHandle, open } from 'node:fs/promises';
import type { ApiKey } from 'keyward';
import { maskValue } from '../../../kernel/secrets/key-values.ts';

/** Values of new keys: shown to the agent if there is no file, otherwise only stored in the file. */
export class NewValues {
  readonly #file: string | null;

  constructor(file: string | null) {
    this.#file = file;
  }

  /** Creates a key and returns it as the agent may see it, with a sentence on where its value is. */
  async keep(create: () => Promise<ApiKey>): Promise<{ key: ApiKey; note: string }> {
    if (this.#file === null)
      return { key: await create(), note: 'Its value is shown only in this result.' };
    // Opened first: a value that cannot be stored would be lost.
    const file = await open(this.#file, 'a', 0o600).catch((error: Error) => {
      throw new Error(
        `Nothing was changed, because the value could not be stored: ${error.message}. Choose another file with --values-file.`,
      );
    });
    try {
      // An existing file may be readable by others.
      await file.chmod(0o600);
      const created = await create();
      await append(file, created);
      return {
        key: { ...created, key: maskValue(created.key) },
        note: `Its value is in ${this.#file}, on the machine of the user; it is not shown here.`,
      };
    } finally {
      await file.close();
    }
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
