import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** Addresses for a name. `nth` counts equal queries from 1; null sends no response. */
export type Zone = (name: string, kind: 'A' | 'AAAA', nth: number) => readonly string[] | null;

const KINDS = new Map<number, 'A' | 'AAAA'>([
  [1, 'A'],
  [28, 'AAAA'],
]);

/** A minimal name server on loopback that answers A and AAAA queries over UDP. */
export async function startDnsServer(zone: Zone) {
  const queries: string[] = [];
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    const kind = KINDS.get(type);
    if (kind === undefined) return;
    const question = `${kind} ${name}`;
    queries.push(question);
    const addresses = zone(name, kind, queries.filter((one) => one === question).length);
    if (addresses !== null) socket.send(answerTo(query, end, type, addresses), from.port);
  });
  return {
    server: `127.0.0.1:${socket.address().port}`,
    queries,
    stop: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length !== 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(query: Buffer, end: number, type: number, addresses: readonly string[]): Buffer {
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  const records = addresses.map((address) => {
    const data = type === 1 ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...records]);
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
