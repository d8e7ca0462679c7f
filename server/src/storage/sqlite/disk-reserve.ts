import { randomFillSync } from 'node:crypto';
import { existsSync, statSync, truncateSync } from 'node:fs';
import { open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StorageFull } from '../errors.ts';
import { isNoSpace } from '../files/data-directory.ts';
import { createPrivateFile, giveToOwnerOfDirectory, syncFile } from '../files/durable-files.ts';
import type { Disk } from '../storage.ts';

export const RESERVE_BYTES = 16 << 20;
/** Freed at once: enough for a change with the pages that it copies, and not more for other programs to take. */
const STEP_BYTES = 1 << 20;
/** What must be free beside the reserve. Otherwise the disk would soon be full again. */
const MARGIN_BYTES = 16 << 20;
const REFILL_EVERY_MS = 1_000;

/**
 * A file beside the database whose space is kept for changes that must be possible on a full disk:
 *
 *   missing ──space for it──▶ whole ──such a change finds the disk full──▶ open
 *                               ▲                                          │  1 MB less each time
 *                               └──────space for all of it and 16 MB───────┘
 *
 * While it is open, other changes are refused: they would use up what was freed. A file that is not whole at the
 * start was opened before.
 */
export class DiskReserve implements Disk {
  readonly #path: string;
  #bytes: number;
  #isOpen: boolean;
  #isFilling = false;
  #refilling: NodeJS.Timeout | undefined;

  private constructor(path: string) {
    this.#path = path;
    this.#isOpen = existsSync(path);
    this.#bytes = this.#isOpen ? statSync(path).size : 0;
  }

  static async at(path: string): Promise<DiskReserve> {
    const reserve = new DiskReserve(path);
    await reserve.refill();
    return reserve;
  }

  get reserveBytes(): number {
    return this.#bytes;
  }

  /** The error of changes that may not use the reserve, while it is open. */
  get refusal(): StorageFull | undefined {
    if (!this.#isOpen) return undefined;
    return new StorageFull(
      `The disk of the database is full, and what is left is kept for revocations. Free at least ${(RESERVE_BYTES + MARGIN_BYTES) >> 20} MB.`,
    );
  }

  /** False: nothing is left. */
  release(): boolean {
    if (this.#bytes === 0) return false;
    this.#isOpen = true;
    this.#bytes = Math.max(0, this.#bytes - STEP_BYTES);
    truncateSync(this.#path, this.#bytes);
    // File systems such as ext4 give freed blocks to others only when they have written this.
    syncFile(this.#path);
    this.#refillSoon();
    return true;
  }

  /** Makes the file whole if there is space for that. */
  async refill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    try {
      await this.#fill();
    } catch (error) {
      if (!isNoSpace(error)) throw error;
    } finally {
      this.#isFilling = false;
      // A change may have released a part meanwhile.
      if (this.#bytes < RESERVE_BYTES) this.#refillSoon();
      else this.#isOpen = false;
    }
  }

  async space() {
    const { bavail, blocks, bsize } = await statfs(dirname(this.#path));
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
  }

  close(): void {
    clearTimeout(this.#refilling);
  }

  #refillSoon(): void {
    clearTimeout(this.#refilling);
    // After an error it is tried again; the metric of the reserve shows what is missing.
    const refill = () => void this.refill().catch(() => {});
    this.#refilling = setTimeout(refill, REFILL_EVERY_MS).unref();
  }

  async #fill(): Promise<void> {
    const missing = RESERVE_BYTES - this.#bytes;
    if (missing === 0 || (await this.space()).freeBytes < missing + MARGIN_BYTES) return;
    if (!existsSync(this.#path)) {
      createPrivateFile(this.#path);
      giveToOwnerOfDirectory(this.#path);
    }
    // Random, because a file system may compress, or leave out zeros.
    const block = randomFillSync(Buffer.alloc(STEP_BYTES));
    const file = await open(this.#path, 'r+');
    try {
      while (this.#bytes < RESERVE_BYTES) {
        const { bytesWritten } = await file.write(block, 0, STEP_BYTES, this.#bytes);
        this.#bytes += bytesWritten;
      }
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

/** A change that is larger does not fit, and must not use up what smaller ones need. */
const STEPS_PER_CHANGE = 4;

/** Runs `work` again with space from the reserve as long as the disk is full. */
export async function allowingReserve<T>(
  reserve: DiskReserve | undefined,
  work: () => Promise<T>,
): Promise<T> {
  for (let steps = 0; ; steps++)
    try {
      return await work();
    } catch (error) {
      const mayRepeat = error instanceof StorageFull && steps < STEPS_PER_CHANGE;
      if (!mayRepeat || !reserve?.release()) throw error;
    }
}
