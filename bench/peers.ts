import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ACCESS_KEY, type Keyward } from './keyward.ts';
import { Load, type LoadOptions } from './load.ts';
import { freePorts, SERVER_CORE, startProcess } from './processes.ts';

/** A response as it was on the wire, so that a peer can send the same bytes. */
export interface WireResponse {
  readonly status: number;
  /** In order, with their original case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly byteLength: number;
}

/** What every peer gets: the keys, and the responses that Keyward gives to them. */
export interface PeerInput {
  readonly folder: string;
  readonly keys: readonly string[];
  readonly requestsFile: string;
  readonly responses: readonly [limited: WireResponse, unlimited: WireResponse];
}

export interface Peer {
  readonly name: string;
  readonly load: Load;
  readonly pid: number;
}

export interface PeerOptions {
  readonly name: string;
  readonly command?: string;
  readonly args: (port: number) => readonly string[];
  readonly requestsFile: string;
  readonly firstPath: () => string;
  readonly response: WireResponse;
  readonly expects?: LoadOptions['expects'];
}

const READY_TIMEOUT_MS = 60_000;
/** Headers may differ by this fraction of the response; bodies must be equally long. */
const TOLERANCE = 0.1;

export const program = (name: string): string =>
  fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url));

/** Starts a peer on the core of the servers, and checks that its response is as long as ours. */
export async function startPeer(options: PeerOptions): Promise<Peer> {
  const { name, command = process.execPath, requestsFile, expects = 'success' } = options;
  const [port] = await freePorts();
  const child = startProcess(command, options.args(port), { core: SERVER_CORE });
  child.stdout?.resume();
  const deadline = performance.now() + READY_TIMEOUT_MS;
  let first: WireResponse | null = null;
  while (first === null) {
    if (child.exitCode !== null) throw new Error(`${name} exited with ${child.exitCode}.`);
    if (performance.now() > deadline) throw new Error(`${name} was not ready in time.`);
    await sleep(20);
    first = await post(port, options.firstPath).catch(() => null);
  }
  checkSize(name, first, options.response);
  // A peer writes nothing after its responses, so there is nothing to wait for.
  const load = new Load({ port, pid: child.pid!, requestsFile, expects, pauseMs: 0 });
  return { name, load, pid: child.pid! };
}

function checkSize(name: string, theirs: WireResponse, ours: WireResponse): void {
  const difference = Math.abs(theirs.byteLength - ours.byteLength);
  if (
    theirs.status !== ours.status ||
    theirs.body.length !== ours.body.length ||
    difference > TOLERANCE * ours.byteLength
  )
    throw new Error(
      `${name} responds with ${theirs.status} and ${theirs.body.length} of ${theirs.byteLength} bytes, Keyward with ${ours.status} and ${ours.body.length} of ${ours.byteLength}.`,
    );
}

/** A bare `node:http` server that sends these responses in turn and looks at nothing. */
export function startBare(
  folder: string,
  name: string,
  responses: readonly WireResponse[],
  requestsFile: string,
): Promise<Peer> {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(responses));
  return startPeer({
    name: 'bare node:http',
    args: (port) => [program('bare-http'), String(port), file],
    requestsFile,
    firstPath: () => '/',
    response: responses[0]!,
    expects: responses[0]!.status < 400 ? 'success' : 'rejection',
  });
}

/**
 * Keyward's second response to a key. In the first, the window has just opened, so `retry-after-seconds` can
 * be shorter than in later ones.
 */
export async function captureResponse({ port }: Keyward, key: string): Promise<WireResponse> {
  await post(port, () => `/api-keys/auth/${key}`);
  return post(port, () => `/api-keys/auth/${key}`);
}

function post(port: number, path: () => string): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      const headers = `Host: 127.0.0.1\r\nx-api-key: ${ACCESS_KEY}\r\n\r\n`;
      socket.write(`POST ${path()} HTTP/1.1\r\n${headers}`);
    });
    let received: Buffer = Buffer.alloc(0);
    socket.setTimeout(10_000, () => socket.destroy(new Error('No response.')));
    socket.once('error', reject);
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const response = parseResponse(received);
      if (response === null) return;
      socket.destroy();
      resolve(response);
    });
  });
}

/** null while the response is incomplete. Reads only responses with a content-length. */
export function parseResponse(bytes: Buffer): WireResponse | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const length = headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
  if (length === undefined) throw new Error('The response has no content-length.');
  const byteLength = headEnd + 4 + Number(length);
  if (bytes.length < byteLength) return null;
  const body = bytes.toString('utf8', headEnd + 4, byteLength);
  return { status: Number(statusLine.split(' ')[1]), headers, body, byteLength };
}
