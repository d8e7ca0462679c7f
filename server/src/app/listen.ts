import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SettingError } from './config.ts';

const PORT_CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process',
  EACCES: 'may not be used by this user',
};

const HOST_CAUSES: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'is not an address of this machine',
  EINVAL: 'is not an address that can be listened on',
  ENOTFOUND: 'is not a name that can be resolved',
  EAI_AGAIN: 'is not a name that can be resolved now',
};

function refusal(error: NodeJS.ErrnoException, port: number, host: string, setting: string) {
  const { code = '', message } = error;
  const ofHost = HOST_CAUSES[code];
  if (ofHost !== undefined)
    return `${host} ${ofHost}. Set HOST to an address of this machine, such as 127.0.0.1 or 0.0.0.0.`;
  return `${host}:${port} ${PORT_CAUSES[code] ?? message}. Choose another port with ${setting}.`;
}

/** `setting` is the one to change when the port cannot be had. */
export function listen(server: Server, port: number, host: string, setting: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) =>
      reject(new SettingError(refusal(error, port, host, setting)));
    server.once('error', refused);
    server.listen({ port, host }, () => {
      server.off('error', refused);
      resolve();
    });
  });
}

/**
 * Fails now if the port cannot be had later. Asked before the first boot, whose secrets are shown
 * once: a start that fails after it would take them along.
 */
export async function assertFree(port: number, host: string, setting: string): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  await listen(probe, port, host, setting);
  await new Promise((resolve) => probe.close(resolve));
}

export function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
