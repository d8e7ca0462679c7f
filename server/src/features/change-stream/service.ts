import type { Change, ChangeBus } from '../../cluster/change-bus/change-bus.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { StreamSink } from '../../kernel/route.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { CachedAccessKey } from '../access-keys/index.ts';
import { Feed, type StreamedChange } from './feed.ts';
import {
  changeMessage,
  type EndReason,
  endMessage,
  HEARTBEAT_MS,
  heartbeatMessage,
  startMessage,
} from './messages.ts';

const STREAMS_MAX = 5_000;
/** Keeps one account from taking all streams. 1,000 clients may each have two while one replaces the other. */
const STREAMS_OF_ACCOUNT_MAX = 2_000;
/**
 * A client that has more than this unread at `UNREAD_HEARTBEATS_MAX` heartbeats in a row is disconnected. One
 * heartbeat is not enough: an import makes 1,000 changes at once, which are 116 KB.
 */
const UNREAD_BYTES_MAX = 64 * 1024;
const UNREAD_HEARTBEATS_MAX = 4;
/** Limits the memory of a stream between heartbeats: about 9,000 changes. */
const BUFFERED_BYTES_MAX = 1024 * 1024;
/** The same for all streams of an account: those with more than 64 KB unread are disconnected at once. */
const BUFFERED_OF_ACCOUNT_MAX = 16 * 1024 * 1024;
/** A feed without streams is kept this long for clients that reconnect. */
const FEED_KEPT_MS = 60_000;
/**
 * How long changes of access keys are remembered: longer than from the authentication of a request to the
 * start of its stream.
 */
const RECENT_MS = 30_000;

const EVERYTHING = '*';

interface Stream {
  readonly accessKey: CachedAccessKey;
  readonly sink: StreamSink;
  readonly endsAt: number;
  /** Heartbeats in a row at which the client had more than 64 KB unread. */
  unreadHeartbeats: number;
}

interface AccountStreams {
  readonly feed: Feed;
  readonly streams: Set<Stream>;
  emptySince: number;
}

export interface ChangeStreamParts {
  readonly bus: ChangeBus;
  readonly clock: Clock;
}

/**
 * Notifies clients of changed keys, as this node learns of them. An account has a feed from its first
 * stream until a minute after its last.
 *
 * A stream is open → ended (the client left or does not read, its access key changed or expired, its
 * time is up, the node stops, or changes may have been missed). A client that reconnects gets the
 * changes it missed, or a `reset`.
 */
export class ChangeStreams {
  readonly #parts: ChangeStreamParts;
  readonly #accounts = new Map<string, AccountStreams>();
  /** When access keys and projects changed, for the last 30 seconds; oldest first. */
  readonly #recentChanges = new Map<string, number>();
  #heartbeat: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Number of open streams. */
  open = 0;

  constructor(parts: ChangeStreamParts) {
    this.#parts = parts;
    parts.bus.subscribe((changes) => {
      this.#publish(changes);
      for (const change of changes) this.#endAffected(change);
    });
  }

  /** Throws if no stream may be started. */
  admit(accessKey: CachedAccessKey): void {
    if (this.#isStopped)
      throw new KeywardError('shutting_down', undefined, { headers: ['Retry-After', '1'] });
    const ofAccount = this.#accounts.get(accessKey.accountId)?.streams.size ?? 0;
    if (this.open >= STREAMS_MAX || ofAccount >= STREAMS_OF_ACCOUNT_MAX)
      throw new KeywardError('too_many_streams', undefined, { headers: ['Retry-After', '5'] });
  }

  /** `cursor`: the cursor of the last event that the client received. */
  start(
    accessKey: CachedAccessKey,
    sink: StreamSink,
    cursor: string | undefined,
    durationMs: number,
  ): void {
    const account = this.#accountOf(accessKey.accountId);
    const endsAt = performance.now() + durationMs;
    const stream = { accessKey, sink, endsAt, unreadHeartbeats: 0 };
    account.streams.add(stream);
    this.open++;
    sink.onClose(() => this.#closed(account, stream));
    this.#sendMissed(account.feed, stream, cursor);
    if (this.#hasChangedSinceRead(accessKey)) this.#end(stream, 'access_key_changed');
    else if (durationMs === 0) this.#end(stream, 'duration_reached');
    this.#heartbeat ??= setInterval(() => this.#tick(), HEARTBEAT_MS).unref();
  }

  /** Of all streams. */
  get unreadBytes(): number {
    let bytes = 0;
    for (const { streams } of this.#accounts.values()) bytes += unreadBytesOf(streams);
    return bytes;
  }

  stop(): void {
    this.#isStopped = true;
    this.#endAll('shutting_down');
    clearInterval(this.#heartbeat);
  }

  #sendMissed(feed: Feed, stream: Stream, cursor: string | undefined): void {
    const missed = cursor === undefined ? null : feed.since(cursor);
    if (missed === null) {
      this.#write(stream, this.#startMessage('reset', feed));
      return;
    }
    const texts = missed
      .filter(({ change }) => mayReceive(stream, change))
      .map(({ change, cursor: position }) => changeMessage(change, position));
    this.#write(stream, texts.join('') + this.#startMessage('resumed', feed));
  }

  #startMessage(kind: 'reset' | 'resumed', { cursor }: Feed): string {
    return startMessage(kind, cursor, this.#completeUntil(), Math.ceil(performance.now()));
  }

  /** Every change made before this time has reached this node and was sent. */
  #completeUntil(): number {
    return Math.max(0, Math.floor(performance.now() - this.#parts.bus.behindMs));
  }

  #accountOf(accountId: string): AccountStreams {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const account = { feed: new Feed(), streams: new Set<Stream>(), emptySince: 0 };
    this.#accounts.set(accountId, account);
    return account;
  }

  /** Writes all changes to a stream at once, since an import changes up to 1,000 keys. */
  #publish(changes: readonly Change[]): void {
    const textsByAccount = new Map<AccountStreams, Map<string | null, string>>();
    for (const change of changes) {
      // Clients cache neither access keys nor credits.
      if (!('accountId' in change)) continue;
      const account = this.#accounts.get(change.accountId);
      if (account === undefined) continue;
      const streamed = streamedChange(change);
      const text = changeMessage(streamed, account.feed.add(streamed));
      const texts = textsByAccount.get(account) ?? new Map<string | null, string>();
      textsByAccount.set(account, texts);
      // `null`: for access keys of the whole account.
      for (const projectId of [null, streamed.projectId])
        texts.set(projectId, (texts.get(projectId) ?? '') + text);
    }
    for (const [{ streams }, texts] of textsByAccount) {
      const isFull = unreadBytesOf(streams) > BUFFERED_OF_ACCOUNT_MAX;
      for (const stream of streams) {
        const text = texts.get(stream.accessKey.projectId);
        if (isFull && stream.sink.unreadBytes > UNREAD_BYTES_MAX) stream.sink.destroy();
        else if (text !== undefined) this.#write(stream, text);
      }
    }
  }

  #endAffected(change: Change): void {
    if (change.kind === 'access-key') {
      this.#remember(change.id);
      for (const { streams } of this.#accounts.values())
        for (const stream of streams)
          if (stream.accessKey.id === change.id) this.#end(stream, 'access_key_changed');
    } else if (change.kind === 'project') {
      this.#remember(change.id);
      this.#endStreamsOf(change.accountId, change.id);
    } else if (change.kind === 'everything') {
      // Any change may have been missed, even of an access key: all clients must reconnect.
      this.#remember(EVERYTHING);
      this.#endAll('changes_missed');
      this.#accounts.clear();
    }
  }

  #remember(id: string): void {
    const now = performance.now();
    for (const [old, at] of this.#recentChanges) {
      if (now - at < RECENT_MS) break;
      this.#recentChanges.delete(old);
    }
    this.#recentChanges.delete(id);
    this.#recentChanges.set(id, now);
  }

  /** Whether the access key may have changed between its authentication and the start of the stream. */
  #hasChangedSinceRead({ id, projectId, readAt }: CachedAccessKey): boolean {
    return [id, projectId, EVERYTHING].some(
      (each) => each !== null && (this.#recentChanges.get(each) ?? 0) > readAt,
    );
  }

  /** The project may be inactive now; its access keys are then not valid. */
  #endStreamsOf(accountId: string, projectId: string): void {
    for (const stream of this.#accounts.get(accountId)?.streams ?? [])
      if (stream.accessKey.projectId === projectId) this.#end(stream, 'access_key_changed');
  }

  #tick(): void {
    const now = performance.now();
    // This node rejects requests until it is up to date. The clients reconnect, perhaps to a node that
    // receives changes.
    if (!this.#parts.bus.isUpToDate(now)) this.#endAll('changes_missed');
    const wallTime = this.#parts.clock();
    const text = heartbeatMessage(this.#completeUntil());
    for (const [accountId, account] of this.#accounts) {
      for (const stream of account.streams) {
        const isUnread = stream.sink.unreadBytes > UNREAD_BYTES_MAX;
        stream.unreadHeartbeats = isUnread ? stream.unreadHeartbeats + 1 : 0;
        if (stream.accessKey.refusal(wallTime) !== null) this.#end(stream, 'access_key_changed');
        else if (now >= stream.endsAt) this.#end(stream, 'duration_reached');
        else if (stream.unreadHeartbeats >= UNREAD_HEARTBEATS_MAX) stream.sink.destroy();
        else this.#write(stream, text);
      }
      const isForgotten = account.streams.size === 0 && now - account.emptySince > FEED_KEPT_MS;
      if (isForgotten) this.#accounts.delete(accountId);
    }
  }

  #write(stream: Stream, text: string): void {
    if (stream.sink.unreadBytes > BUFFERED_BYTES_MAX) stream.sink.destroy();
    else stream.sink.write(text);
  }

  #end(stream: Stream, reason: EndReason): void {
    stream.sink.end(endMessage(reason));
  }

  #endAll(reason: EndReason): void {
    for (const { streams } of this.#accounts.values())
      for (const stream of streams) this.#end(stream, reason);
  }

  #closed(account: AccountStreams, stream: Stream): void {
    if (!account.streams.delete(stream)) return;
    account.emptySince = performance.now();
    this.open--;
  }
}

function unreadBytesOf(streams: Iterable<Stream>): number {
  let bytes = 0;
  for (const { sink } of streams) bytes += sink.unreadBytes;
  return bytes;
}

/** A project-level access key receives changes of its own project only. */
const mayReceive = ({ accessKey }: Stream, { projectId }: StreamedChange): boolean =>
  accessKey.projectId === null || accessKey.projectId === projectId;

function streamedChange(change: Extract<Change, { accountId: string }>): StreamedChange {
  if (change.kind === 'project') return { projectId: change.id };
  const { projectId } = change;
  if (change.kind === 'api-key') return { keyId: change.id, projectId };
  if (change.kind === 'plan') return { planId: change.id, projectId };
  return { customer: change.group, projectId };
}
