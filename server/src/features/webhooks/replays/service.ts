import type { Actor } from '../../../kernel/actor.ts';
import type { Principal } from '../../../kernel/authority.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { idFloor, type MakeId } from '../../../kernel/ids.ts';
import { listing } from '../../../kernel/paging.ts';
import type { Listing } from '../../../kernel/route.ts';
import { type Clock, isoTime } from '../../../kernel/time/clock.ts';
import { readTime } from '../../../kernel/time/read-time.ts';
import type { Storage } from '../../../storage/index.ts';
import type { ChangeRunner, Idempotency, Unit } from '../../changes/index.ts';
import { visibleWebhook } from '../access.ts';
import type { ReplayRunner } from './runner.ts';
import type { ListReplays, Replay, StartReplay } from './schema.ts';
import {
  countEvents,
  findReplay,
  insertReplay,
  listReplayRows,
  type ReplayRow,
  runningReplayOf,
} from './store.ts';

const replay = (row: ReplayRow): Replay => ({
  id: row.id,
  webhookId: row.webhook_id,
  since: isoTime(row.since),
  until: isoTime(row.until),
  status: row.status,
  total: row.total,
  queued: row.queued,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

interface ReplayServiceParts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly ids: MakeId;
  readonly clock: Clock;
  readonly runner: ReplayRunner;
}

/**
 * The ids of events about audit rows and usage periods have the time of what they report. After a downtime,
 * that may be long before the event was created.
 */
const OLDER_IDS_MS = 7 * 86_400_000;

/** Starts and lists replays, which ReplayRunner carries out. */
export class ReplayService {
  readonly #parts: ReplayServiceParts;

  constructor(parts: ReplayServiceParts) {
    this.#parts = parts;
  }

  async start(
    actor: Actor,
    webhookId: string,
    input: StartReplay,
    idempotency?: Idempotency,
  ): Promise<Replay> {
    const { principal } = actor;
    const { point, read } = this.#parts.storage;
    const hook = await visibleWebhook(point, principal, 'webhooks:write', webhookId);
    const { since, until } = readRange(input, this.#parts.clock());
    const cursor = idFloor('evt', since - OLDER_IDS_MS);
    const range = { account_id: hook.account_id, since, until, cursor };
    const total = await countEvents(read, hook, range);
    const make = async (unit: Unit): Promise<Replay> => {
      const { status } = await visibleWebhook(unit.tx, principal, 'webhooks:write', webhookId);
      if (status !== 'live') throw new KeywardError('webhook_not_live');
      if (await runningReplayOf(unit.tx, webhookId)) throw new KeywardError('replay_running');
      const row: ReplayRow = {
        ...range,
        id: this.#parts.ids('rpl'),
        webhook_id: webhookId,
        status: 'running',
        total,
        queued: 0,
        created_at: unit.now,
        updated_at: unit.now,
      };
      await insertReplay(unit.tx, row);
      unit.audit({
        action: 'webhook.replayed',
        accountId: hook.account_id,
        projectId: hook.project_id,
        targetType: 'webhook',
        targetId: webhookId,
        after: replay(row),
      });
      return replay(row);
    };
    const started = await this.#parts.changes.run(actor, make, idempotency);
    this.#parts.runner.wake();
    return started;
  }

  async get(principal: Principal, webhookId: string, id: string): Promise<Replay> {
    const { point } = this.#parts.storage;
    await visibleWebhook(point, principal, 'webhooks:read', webhookId);
    const row = await findReplay(point, webhookId, id);
    if (row === undefined) throw new KeywardError('replay_not_found');
    return replay(row);
  }

  async list(
    principal: Principal,
    webhookId: string,
    query: ListReplays,
  ): Promise<Listing<Replay>> {
    await visibleWebhook(this.#parts.storage.point, principal, 'webhooks:read', webhookId);
    const { storage } = this.#parts;
    return listing(query, 'rpl', (range) => listReplayRows(storage, webhookId, range), replay);
  }
}

/** The range ends now at the latest: later events are delivered when they happen. */
function readRange(input: StartReplay, now: number): { since: number; until: number } {
  const since = readTime('since', input.since);
  const until = input.until === undefined ? now : Math.min(readTime('until', input.until), now);
  if (since > until)
    throw new KeywardError('invalid_body', 'since must not be later than until, or than now.');
  return { since, until };
}
