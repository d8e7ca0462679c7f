import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly to: string[];
  readonly from: string;
  /** The raw message with quoted-printable decoded. */
  readonly text: string;
}

export interface MailServer {
  /** The SMTP settings for the application. */
  readonly smtp: { readonly url: string; readonly from: string };
  readonly received: readonly ReceivedMail[];
  /** If true, it refuses mail like a server whose storage is full. */
  refusing: boolean;
  /** Waits for mail to the address and returns the latest. */
  mailTo(address: string): Promise<ReceivedMail>;
  close(): Promise<void>;
}

/** A mail server that stores what it receives. */
export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onMailFrom: (_address, _session, callback) =>
      callback(mail.refusing ? Object.assign(new Error('full'), { responseCode: 452 }) : null),
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
          text: unquoted(Buffer.concat(chunks).toString()),
        });
        callback();
        arrivals.emit('mail');
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const mail: MailServer = {
    smtp: { url: `smtp://127.0.0.1:${port}`, from: 'Keyward <keyward@example.com>' },
    received,
    refusing: false,
    async mailTo(address) {
      for (;;) {
        const found = received.findLast(({ to }) => to.includes(address));
        if (found) return found;
        await once(arrivals, 'mail');
      }
    },
    close: () => new Promise((done) => server.close(done)),
  };
  return mail;
}

const unquoted = (text: string): string =>
  text
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
