import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from '../kernel/node-http.ts';
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

/** An address, and the settings to change if it is not available. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly settings: { readonly host: string; readonly port: string };
}

function refusal(error: NodeJS.ErrnoException, { host, port, settings }: ListenAddress) {
  const { code = '', message } = error;
  const ofHost = HOST_CAUSES[code];
  if (ofHost !== undefined)
    return `${host} ${ofHost}. Set ${settings.host} to an address of this machine, such as 127.0.0.1.`;
  return `${host}:${port} ${PORT_CAUSES[code] ?? message}. Choose another port with ${settings.port}.`;
}

export function listen(server: Server, address: ListenAddress): Promise<void> {
  const { port, host } = address;
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) =>
      reject(new SettingError(refusal(error, address)));
    server.once('error', refused);
    server.listen({ port, host }, () => {
      server.off('error', refused);
      resolve();
    });
  });
}

/**
 * Throws if the port is not available. Called before the first boot, so that a port in use leaves the
 * database without an installation.
 */
export async function assertFree(address: ListenAddress): Promise<void> {
  if (address.port === 0) return;
  const probe = createServer();
  await listen(probe, address);
  await new Promise((resolve) => probe.close(resolve));
}

export function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
