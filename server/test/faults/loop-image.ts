import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findOnPath } from '../../../scripts/test-tools.ts';

const IMAGE_BYTES = 64 << 20;

/**
 * `commit=300`: ext4 writes its journal every 5 s by itself, which would now and then save what
 * nobody synced, and the negative control with it.
 */
const MOUNT_OPTIONS = 'loop,noatime,commit=300';

const NEEDED = ['mkfs.ext4', 'losetup', 'mount', 'umount', 'cp'];
const PATH = `${process.env.PATH}${delimiter}/usr/sbin${delimiter}/sbin`;

/** Throws one line that says what is missing: a power-loss test that skips itself proves nothing. */
export function demandLoopImages(): void {
  const missing = NEEDED.filter((name) => findOnPath([name], PATH) === null);
  if (process.getuid?.() !== 0) missing.unshift('root');
  if (missing.length > 0)
    throw new Error(
      `The power-loss test mounts a file system of its own. It needs root, mkfs.ext4 (Debian: e2fsprogs), losetup and mount (Debian: mount); missing here: ${missing.join(', ')}.`,
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

/** A disk in a file, mounted or not. */
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
    run('mkfs.ext4', ['-q', '-F', image.file]);
    return image;
  }

  /**
   * The disk as a power cut would leave it. What a process wrote but nobody synced stands in the
   * page cache of the mounted file system, and no further. What was synced, or written back by the
   * kernel on its own, went through the loop device into the page cache of the image file, and that
   * is what `cp` reads. So the copy has what reached the disk and nothing else. The process is
   * stopped, so that nothing new is synced while the copy is made.
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

  remountReadOnly(): void {
    run('mount', ['-o', 'remount,ro', this.mountPoint]);
  }

  /** Whatever state it is in. */
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
