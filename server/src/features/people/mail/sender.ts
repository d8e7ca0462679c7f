import { type Selectable, sql } from 'kysely';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { Storage } from '../../../storage/index.ts';
import type { MailsTable } from '../../../storage/schema/people.ts';
import type { Mail } from './messages.ts';
import type { MailQueue } from './queue.ts';

export interface SmtpSettings {
  /** `smtp://` or `smtps://`, with user and password when needed. */
  readonly url: string;
  /** The sender that people see. */
  readonly from: string;
}

type MailRow = Selectable<MailsTable>;
type Transport = ReturnType<typeof import('nodemailer').createTransport>;

const MINUTE_MS = 60_000;
/** Delays between attempts; after the last, the mail has failed. */
const RETRY_AFTER_MS = [1, 5, 30, 120, 600].map((minutes) => minutes * MINUTE_MS);
/**
 * No other node sends a claimed mail in this time. A page of 20 takes at most 200 s: 5 at a time, 50 s each.
 */
const LEASE_MS = 5 * MINUTE_MS;
const CHECK_EVERY_MS = 30_000;
const PAGE_SIZE = 20;
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

interface Parts {
  readonly storage: Storage;
  readonly queue: MailQueue;
  readonly smtp: SmtpSettings;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Sends due mail in pages, over a few connections, in the background. */
export class MailSender {
  readonly #parts: Parts;
  #transport: Promise<Transport> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #again = false;
  #isBusy = false;
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    this.#parts.queue.onWake(() => this.#check());
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS).unref();
    this.#check();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    // Closed before waiting for the run: a hanging mail server must not delay the stop.
    (await this.#transport)?.close();
    await this.#running;
  }

  /** nodemailer is loaded by the first mail: most nodes never send one. */
  async #connect(): Promise<Transport> {
    const { createTransport } = await import('nodemailer');
    const { url, from } = this.#parts.smtp;
    const safe = { disableFileAccess: true, disableUrlAccess: true };
    return createTransport({ url, pool: true, ...safe, ...TIMEOUTS }, { from });
  }

  #check(): void {
    if (this.#stopped) return;
    this.#again = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#running = this.#run().finally(() => {
      this.#isBusy = false;
    });
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        const rows = await this.#due();
        const results = await Promise.allSettled(rows.map((row) => this.#deliver(row)));
        const failed = results.filter((result) => result.status === 'rejected');
        for (const { reason } of failed) this.#parts.onError(reason);
        // After a full page there may be more mail. But an error would probably repeat at once.
        if (rows.length === PAGE_SIZE && failed.length === 0) this.#again = true;
      } catch (error) {
        this.#parts.onError(error);
      }
    }
  }

  /** Invitations last: many of them must not delay a link for a new password, which expires in an hour. */
  async #due(): Promise<MailRow[]> {
    return this.#parts.storage.read
      .selectFrom('mails')
      .selectAll()
      .where('due_at', '<=', this.#parts.clock())
      .orderBy(sql`invitation_id is not null`)
      .orderBy('due_at')
      .limit(PAGE_SIZE)
      .execute();
  }

  async #deliver(row: MailRow): Promise<void> {
    if (this.#stopped || !(await this.#claim(row))) return;
    try {
      await this.#send(this.#parts.queue.decrypt(row));
    } catch (error) {
      this.#parts.onError(error);
      await this.#failed(row);
      return;
    }
    await this.#finish(row, 'sent');
  }

  /** Only one node succeeds in changing the row. */
  async #claim({ id, due_at, attempts }: MailRow): Promise<boolean> {
    const { numUpdatedRows } = await this.#parts.storage.transaction((tx) =>
      tx
        .updateTable('mails')
        .set({ due_at: this.#parts.clock() + LEASE_MS, attempts: attempts + 1 })
        .where('id', '=', id)
        .where('due_at', '=', due_at)
        .executeTakeFirst(),
    );
    return numUpdatedRows === 1n;
  }

  async #send(mail: Mail): Promise<void> {
    const { to: address, subject, text, html } = mail;
    this.#transport ??= this.#connect();
    await (await this.#transport).sendMail({
      from: this.#parts.smtp.from,
      // An object, so that the address is not parsed as a list.
      to: { name: '', address },
      subject,
      text,
      html,
    });
  }

  async #failed(row: MailRow): Promise<void> {
    const wait = RETRY_AFTER_MS[row.attempts];
    if (wait === undefined) return this.#finish(row, 'failed');
    await this.#parts.storage.transaction((tx) =>
      tx
        .updateTable('mails')
        .set({ due_at: this.#parts.clock() + wait })
        .where('id', '=', row.id)
        .execute(),
    );
  }

  /** Deletes the mail and its link; the invitation stores the result. */
  async #finish(row: MailRow, email_status: 'sent' | 'failed'): Promise<void> {
    await this.#parts.storage.transaction(async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom('mails')
        .where('id', '=', row.id)
        .executeTakeFirst();
      // Without a row, the mail was dropped meanwhile, because its link no longer works.
      if (numDeletedRows === 0n || row.invitation_id === null) return;
      await tx
        .updateTable('invitations')
        .set({ email_status })
        .where('id', '=', row.invitation_id)
        .where('email_status', '=', 'queued')
        .execute();
    });
  }
}
