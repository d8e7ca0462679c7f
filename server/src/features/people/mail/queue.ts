import type { Secrets } from '../../../kernel/crypto.ts';
import type { MakeId } from '../../../kernel/ids.ts';
import type { Storage, Tx } from '../../../storage/index.ts';
import type { Mail } from './messages.ts';

/**
 * Mail that waits to go out. It is written with the change that it tells of and sent after the
 * commit, by a MailSender, which a restart does not stop for good.
 */
export class MailQueue {
  readonly #storage: Storage;
  readonly #secrets: Secrets;
  readonly #ids: MakeId;
  readonly isSet: boolean;
  #listener: () => void = () => {};

  constructor(parts: { storage: Storage; secrets: Secrets; ids: MakeId; isSet: boolean }) {
    this.#storage = parts.storage;
    this.#secrets = parts.secrets;
    this.#ids = parts.ids;
    this.isSet = parts.isSet;
  }

  onWake(listener: () => void): void {
    this.#listener = listener;
  }

  /** Something may be due: called after a commit. */
  wake(): void {
    this.#listener();
  }

  async put(tx: Tx, mail: Mail, now: number, invitationId: string | null = null): Promise<void> {
    const id = this.#ids('mai');
    // A newer link has replaced the one in it.
    if (invitationId !== null)
      await tx.deleteFrom('mails').where('invitation_id', '=', invitationId).execute();
    await tx
      .insertInto('mails')
      .values({
        id,
        invitation_id: invitationId,
        content: this.#secrets.encrypt(JSON.stringify(mail), contextOf(id)),
        attempts: 0,
        due_at: now,
        created_at: now,
      })
      .execute();
  }

  /** In a transaction of its own, for mail that belongs to no change. */
  async send(mail: Mail, now: number): Promise<void> {
    await this.#storage.transaction((tx) => this.put(tx, mail, now));
    this.wake();
  }

  open(row: { id: string; content: string }): Mail {
    return JSON.parse(this.#secrets.decrypt(row.content, contextOf(row.id)));
  }
}

const contextOf = (id: string): string => `mail:${id}`;
