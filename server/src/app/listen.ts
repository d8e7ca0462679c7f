import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SettingError } from './config.ts';

const PORT_CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process',
  EACCES: 'requires a permission that this user does not have',
};

const HOST_CAUSES: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'is not an address of this machine',
  EINVAL: 'is not an address that a server can listen on',
  ENOTFOUND: 'cannot be resolved',
  EAI_AGAIN: 'cannot be resolved now',
};

function refusal(error: NodeJS.ErrnoException, port: number, host: string, setting: string) {
  const { code = '', message } = error;
  const ofHost = HOST_CAUSES[code];
  if (ofHost !== undefined)
    return `${host} ${ofHost}. Set HOST to an address of this machine, such as 127.0.0.1 or 0.0.0.0.`;
  return `${host}:${port} ${PORT_CAUSES[code] ?? message}. Choose another port with ${setting}.`;
}

/** `setting` names the setting to change if the port is not available. */
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
 * Throws if the port is not available. Called before the first boot: its secrets are shown only once,
 * after the start, and would be lost if the start failed in between.
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
