import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ip = async (...args: string[]): Promise<void> => void (await run('ip', args));

/** An unused MAC address: packets sent to it are dropped at the other end of the link. */
const UNUSED_MAC = '02:00:00:00:00:01';

interface Link {
  /** The end outside of the namespace. */
  readonly device: string;
  readonly near: string;
  /** The end inside of the namespace. */
  readonly innerDevice: string;
  readonly far: string;
}

/**
 * A network namespace with two links to this machine: the front link is for incoming requests, the back
 * link for outgoing connections. `dropBack` silently drops every packet of the back link in both
 * directions, which makes its connections half-open.
 */
export class NetworkNamespace {
  readonly name: string;
  readonly front: Link;
  readonly back: Link;

  private constructor(number: number) {
    this.name = `keyward${number}`;
    const link = (letter: string, subnet: number): Link => ({
      device: `kw${letter}${number}o`,
      innerDevice: `kw${letter}${number}i`,
      near: `10.213.${subnet}.1`,
      far: `10.213.${subnet}.2`,
    });
    this.front = link('f', 2 * number);
    this.back = link('b', 2 * number + 1);
  }

  /** Null if namespaces cannot be created: that needs root and the `ip` command. */
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
    const dropped = ['lladdr', UNUSED_MAC, 'nud', 'permanent'];
    await ip('neigh', 'replace', far, 'dev', device, ...dropped);
    await ip('-n', this.name, 'neigh', 'replace', near, 'dev', innerDevice, ...dropped);
  }

  async healBack(): Promise<void> {
    const { device, innerDevice, near, far } = this.back;
    await ip('neigh', 'del', far, 'dev', device);
    await ip('-n', this.name, 'neigh', 'del', near, 'dev', innerDevice);
  }

  /** Deletes the namespace and its links. */
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
