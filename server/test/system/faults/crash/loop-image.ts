import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { findOnPath } from '../../../../../scripts/test-tools.ts';

const IMAGE_BYTES = 64 << 20;

/**
 * As on every real disk. SQLite allocates its shared memory by one byte in each 4 KB: with the 1 KB that mkfs takes
 * for a small image, a process that starts on a full disk is sometimes ended by SIGBUS.
 */
const BLOCK_BYTES = '4096';

/**
 * `commit=300`: by default ext4 commits its journal every 5 s. That would sometimes save unsynced
 * data, and the negative control would lose nothing.
 */
const MOUNT_OPTIONS = 'loop,noatime,commit=300';

const NEEDED = ['mkfs.ext4', 'losetup', 'mount', 'umount', 'cp'];
const PATH = `${process.env.PATH}${delimiter}/usr/sbin${delimiter}/sbin`;

/** Throws if a tool is missing: a power-loss test that skips itself proves nothing. */
export function requireLoopImages(): void {
  const missing = NEEDED.filter((name) => findOnPath([name], PATH) === null);
  if (process.getuid?.() !== 0) missing.unshift('root');
  if (missing.length > 0)
    throw new Error(
      `The power-loss test mounts its own file system. It needs root, mkfs.ext4 (Debian: e2fsprogs), losetup and mount (Debian: mount); missing here: ${missing.join(', ')}.`,
    );
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, PATH },
  });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
}

/** A disk image in a file. */
export class LoopImage {
  readonly file: string;
  readonly mountPoint: string;
  #mounted = false;

  private constructor(parent: string, name: string) {
    this.file = join(parent, `${name}.img`);
    this.mountPoint = join(parent, name);
  }

  static make(parent: string, name: string): LoopImage {
    const image = new LoopImage(parent, name);
    writeFileSync(image.file, '');
    truncateSync(image.file, IMAGE_BYTES);
    run('mkfs.ext4', ['-q', '-F', '-b', BLOCK_BYTES, image.file]);
    return image;
  }

  /**
   * The disk as a power cut would leave it. Unsynced writes exist only in the page cache of the
   * mounted file system. Synced data, and data that the kernel wrote back, went through the loop
   * device into the page cache of the image file, which `cp` reads. So the copy contains exactly
   * the data that reached the disk. The caller stops the process first, so that nothing is synced
   * during the copy.
   */
  copy(parent: string, name: string): LoopImage {
    const copy = new LoopImage(parent, name);
    run('cp', ['--sparse=always', this.file, copy.file]);
    return copy;
  }

  /** Mounting replays the journal of the file system, as after a power cut. */
  mount(): this {
    mkdirSync(this.mountPoint);
    run('mount', ['-o', MOUNT_OPTIONS, this.file, this.mountPoint]);
    this.#mounted = true;
    return this;
  }

  /** Writes a file until the disk is full. */
  fill(): void {
    const file = openSync(this.#filler, 'a');
    try {
      for (let block = 1 << 20; block > 0; ) {
        try {
          writeSync(file, Buffer.alloc(block));
        } catch {
          block >>= 1;
        }
      }
    } finally {
      closeSync(file);
    }
  }

  /** Makes the file of `fill` smaller, or removes it. */
  free(bytes?: number): void {
    if (bytes === undefined) rmSync(this.#filler);
    else truncateSync(this.#filler, Math.max(0, statSync(this.#filler).size - bytes));
  }

  get #filler(): string {
    return join(this.mountPoint, 'filler');
  }

  remountReadOnly(): void {
    run('mount', ['-o', 'remount,ro', this.mountPoint]);
  }

  /** Works in any state. */
  remove(): void {
    if (this.#mounted) run('umount', [this.mountPoint]);
    this.#mounted = false;
    rmSync(this.mountPoint, { recursive: true, force: true });
    rmSync(this.file, { force: true });
  }

  unmount(): void {
    run('umount', [this.mountPoint]);
    rmSync(this.mountPoint, { recursive: true });
    this.#mounted = false;
  }
}
