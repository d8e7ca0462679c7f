import type { Change, ChangeBus } from '../../cluster/change-bus/change-bus.ts';
import type { Clock } from '../../kernel/clock.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { StreamSink } from '../../kernel/route.ts';
import type { HeldAccessKey } from '../access-keys/index.ts';
import { Feed, type Told } from './feed.ts';
import { BEAT_EVERY_MS, beat, beginning, changed, type EndReason, ending } from './messages.ts';

const STREAMS_MAX = 5_000;
/** So that no account can take all of them. */
const STREAMS_OF_ACCOUNT_MAX = 1_000;
/** A client that has so much to read is not reading. */
const UNREAD_BYTES_MAX = 64 * 1024;
/** A feed without listeners is kept for those who come back. */
const FEED_KEPT_MS = 60_000;
/** More than a request takes from showing its access key to the beginning of its stream. */
const BEFORE_START_MS = 30_000;

const EVERYTHING = '*';

interface Stream {
  readonly accessKey: HeldAccessKey;
  readonly sink: StreamSink;
  readonly endsAt: number;
}

interface Audience {
  readonly feed: Feed;
  readonly streams: Set<Stream>;
  emptySince: number;
}

export interface ChangeStreamParts {
  readonly bus: ChangeBus;
  readonly clock: Clock;
}

/**
 * Tells clients which of their keys have changed, as this node hears of it. An account has an
 * audience from its first stream until a minute after its last, and costs nothing before.
 *
 * A stream is open → over (its client is gone or does not read, its access key changed or expired,
 * its time is up, this node stops, or it may have missed something). It is never mended: whoever
 * comes again is told what it missed, or to begin anew.
 */
export class ChangeStreams {
  readonly #parts: ChangeStreamParts;
  readonly #audiences = new Map<string, Audience>();
  /** Access keys and projects that changed a moment ago, and when. */
  readonly #changedLately = new Map<string, number>();
  #beating: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Streams that are open. */
  open = 0;

  constructor(parts: ChangeStreamParts) {
    this.#parts = parts;
    parts.bus.subscribe((changes) => {
      for (const change of changes) this.#hear(change);
    });
  }

  /** Refuses before anything is sent. */
  admit(accessKey: HeldAccessKey): void {
    if (this.#isStopped)
      throw new KeywardError('shutting_down', undefined, { headers: ['Retry-After', '1'] });
    const own = this.#audiences.get(accessKey.accountId)?.streams.size ?? 0;
    if (this.open >= STREAMS_MAX || own >= STREAMS_OF_ACCOUNT_MAX)
      throw new KeywardError('too_many_streams', undefined, { headers: ['Retry-After', '5'] });
  }

  /** `cursor`: where this client was when it heard something last. */
  start(
    accessKey: HeldAccessKey,
    sink: StreamSink,
    cursor: string | undefined,
    lastsMs: number,
  ): void {
    const audience = this.#audienceOf(accessKey.accountId);
    const stream = { accessKey, sink, endsAt: performance.now() + lastsMs };
    audience.streams.add(stream);
    this.open++;
    sink.onClose(() => this.#closed(audience, stream));
    this.#begin(audience.feed, stream, cursor);
    if (this.#isOvertaken(accessKey)) this.#end(stream, 'access_key_changed');
    else if (lastsMs === 0) this.#end(stream, 'time_is_up');
    this.#beating ??= setInterval(() => this.#tick(), BEAT_EVERY_MS).unref();
  }

  stop(): void {
    this.#isStopped = true;
    this.#endAll('shutting_down');
    clearInterval(this.#beating);
  }

  #begin(feed: Feed, stream: Stream, cursor: string | undefined): void {
    const missed = cursor === undefined ? null : feed.since(cursor);
    if (missed === null) {
      this.#write(stream, this.#beginning('reset', feed));
      return;
    }
    for (const { told, cursor: position } of missed)
      if (concerns(stream, told)) this.#write(stream, changed(told, position));
    this.#write(stream, this.#beginning('resumed', feed));
  }

  #beginning(kind: 'reset' | 'resumed', { cursor }: Feed): string {
    return beginning(kind, cursor, this.#at(), Math.ceil(performance.now()));
  }

  /** Everything that was changed before this has been heard of, and told. */
  #at(): number {
    return Math.max(0, Math.floor(performance.now() - this.#parts.bus.behindMs));
  }

  #audienceOf(accountId: string): Audience {
    const known = this.#audiences.get(accountId);
    if (known !== undefined) return known;
    const audience = { feed: new Feed(), streams: new Set<Stream>(), emptySince: 0 };
    this.#audiences.set(accountId, audience);
    return audience;
  }

  #hear(change: Change): void {
    if (change.kind === 'access-key') {
      this.#note(change.id);
      for (const { streams } of this.#audiences.values())
        for (const stream of streams)
          if (stream.accessKey.id === change.id) this.#end(stream, 'access_key_changed');
    } else if (change.kind === 'api-key') {
      this.#tell(change.accountId, { keyId: change.id, projectId: change.projectId });
    } else if (change.kind === 'project') {
      this.#note(change.id);
      this.#tell(change.accountId, { keyId: null, projectId: change.id });
    } else {
      // What was missed may have been anything, an access key too: all come again and show theirs.
      this.#note(EVERYTHING);
      this.#endAll('begin_anew');
      this.#audiences.clear();
    }
  }

  #note(id: string): void {
    const now = performance.now();
    for (const [old, at] of this.#changedLately) {
      if (now - at < BEFORE_START_MS) break;
      this.#changedLately.delete(old);
    }
    this.#changedLately.delete(id);
    this.#changedLately.set(id, now);
  }

  /** It may have changed after it was shown and before its stream was there to be ended. */
  #isOvertaken({ id, projectId, readAt }: HeldAccessKey): boolean {
    return [id, projectId, EVERYTHING].some(
      (each) => each !== null && (this.#changedLately.get(each) ?? 0) > readAt,
    );
  }

  #tell(accountId: string, told: Told): void {
    const audience = this.#audiences.get(accountId);
    if (audience === undefined) return;
    const text = changed(told, audience.feed.add(told));
    for (const stream of audience.streams) {
      if (!concerns(stream, told)) continue;
      this.#write(stream, text);
      // Its own project: it may be inactive now, and with it the access key.
      if (told.keyId === null && stream.accessKey.projectId !== null)
        this.#end(stream, 'access_key_changed');
    }
  }

  #tick(): void {
    const now = performance.now();
    const wallTime = this.#parts.clock();
    const text = beat(this.#at());
    for (const [accountId, audience] of this.#audiences) {
      for (const stream of audience.streams) {
        if (stream.accessKey.refusal(wallTime) !== null) this.#end(stream, 'access_key_changed');
        else if (now >= stream.endsAt) this.#end(stream, 'time_is_up');
        else this.#write(stream, text);
      }
      const isForgotten = audience.streams.size === 0 && now - audience.emptySince > FEED_KEPT_MS;
      if (isForgotten) this.#audiences.delete(accountId);
    }
  }

  #write(stream: Stream, text: string): void {
    if (stream.sink.unreadBytes > UNREAD_BYTES_MAX) stream.sink.destroy();
    else stream.sink.write(text);
  }

  #end(stream: Stream, reason: EndReason): void {
    stream.sink.end(ending(reason));
  }

  #endAll(reason: EndReason): void {
    for (const { streams } of this.#audiences.values())
      for (const stream of streams) this.#end(stream, reason);
  }

  #closed(audience: Audience, stream: Stream): void {
    if (!audience.streams.delete(stream)) return;
    audience.emptySince = performance.now();
    this.open--;
  }
}

/** A project-level access key hears of the keys of its project only. */
const concerns = ({ accessKey }: Stream, { projectId }: Told): boolean =>
  accessKey.projectId === null || accessKey.projectId === projectId;
