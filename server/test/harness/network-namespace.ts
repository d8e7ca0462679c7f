import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ip = async (...args: string[]): Promise<void> => void (await run('ip', args));

/** Of nobody: what is sent to it leaves one end of the link, and nobody at the other takes it. */
const NOBODY = '02:00:00:00:00:01';

interface Link {
  /** The end out here. */
  readonly device: string;
  readonly near: string;
  /** The end inside. */
  readonly innerDevice: string;
  readonly far: string;
}

/**
 * A machine of its own, as far as the network goes, with two links to this one: over the front link
 * it is called, over the back link it calls. `dropBack` loses every packet of the back link in both
 * directions without a word to either side, which is what a half-open connection is made of.
 */
export class NetworkNamespace {
  readonly name: string;
  readonly front: Link;
  readonly back: Link;

  private constructor(mark: number) {
    this.name = `keyward${mark}`;
    const link = (letter: string, subnet: number): Link => ({
      device: `kw${letter}${mark}o`,
      innerDevice: `kw${letter}${mark}i`,
      near: `10.213.${subnet}.1`,
      far: `10.213.${subnet}.2`,
    });
    this.front = link('f', 2 * mark);
    this.back = link('b', 2 * mark + 1);
  }

  /** Null where this may not be done: it needs root and the `ip` command. */
  static async create(): Promise<NetworkNamespace | null> {
    const space = new NetworkNamespace(randomInt(127));
    try {
      await ip('netns', 'add', space.name);
    } catch {
      return null;
    }
    try {
      await ip('-n', space.name, 'link', 'set', 'lo', 'up');
      for (const link of [space.front, space.back]) await space.#join(link);
      return space;
    } catch {
      await space.dispose();
      return null;
    }
  }

  async dropBack(): Promise<void> {
    const { device, innerDevice, near, far } = this.back;
    const lost = ['lladdr', NOBODY, 'nud', 'permanent'];
    await ip('neigh', 'replace', far, 'dev', device, ...lost);
    await ip('-n', this.name, 'neigh', 'replace', near, 'dev', innerDevice, ...lost);
  }

  async healBack(): Promise<void> {
    const { device, innerDevice, near, far } = this.back;
    await ip('neigh', 'del', far, 'dev', device);
    await ip('-n', this.name, 'neigh', 'del', near, 'dev', innerDevice);
  }

  /** The links go with it. */
  async dispose(): Promise<void> {
    await ip('netns', 'del', this.name);
  }

  async #join({ device, innerDevice, near, far }: Link): Promise<void> {
    const pair = ['type', 'veth', 'peer', 'name', innerDevice, 'netns', this.name];
    await ip('link', 'add', device, ...pair);
    await ip('addr', 'add', `${near}/30`, 'dev', device);
    await ip('link', 'set', device, 'up');
    await ip('-n', this.name, 'addr', 'add', `${far}/30`, 'dev', innerDevice);
    await ip('-n', this.name, 'link', 'set', innerDevice, 'up');
  }
}
