import type { MakeId } from '../../../kernel/ids.ts';
import type { Secrets } from '../../../kernel/secrets/crypto.ts';
import type { Storage, Tx } from '../../../storage/index.ts';
import type { Mail } from './messages.ts';

interface Parts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly isConfigured: boolean;
}

/**
 * Outgoing mail. It is stored in the transaction of its change and sent after the commit by a MailSender,
 * also after a restart.
 */
export class MailQueue {
  readonly #parts: Parts;
  #listener: () => void = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isConfigured(): boolean {
    return this.#parts.isConfigured;
  }

  onWake(listener: () => void): void {
    this.#listener = listener;
  }

  /** Called after a commit: mail may be due. */
  wake(): void {
    this.#listener();
  }

  async put(tx: Tx, mail: Mail, now: number, invitationId: string | null = null): Promise<void> {
    const id = this.#parts.ids('mai');
    await tx
      .insertInto('mails')
      .values({
        id,
        invitation_id: invitationId,
        content: this.#parts.secrets.encrypt(JSON.stringify(mail), contextOf(id)),
        attempts: 0,
        due_at: now,
        created_at: now,
      })
      .execute();
  }

  /** Removes a queued mail whose link no longer works. */
  async drop(tx: Tx, invitationId: string): Promise<void> {
    await tx.deleteFrom('mails').where('invitation_id', '=', invitationId).execute();
  }

  /** Queues mail that belongs to no change, in a transaction of its own, and wakes the sender. */
  async enqueue(mail: Mail, now: number): Promise<void> {
    await this.#parts.storage.transaction((tx) => this.put(tx, mail, now));
    this.wake();
  }

  decrypt(row: { id: string; content: string }): Mail {
    return JSON.parse(this.#parts.secrets.decrypt(row.content, contextOf(row.id)));
  }
}

const contextOf = (id: string): string => `mail:${id}`;
