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
    const file = await open(path, 'a', 0o600).catch((error: Error) => {
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
        note: `Its value is in ${path}, on the machine of the user; it is not shown here.`,
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
