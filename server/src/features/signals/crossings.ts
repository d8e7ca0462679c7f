import { sql } from 'kysely';
import { chunksOf, type Storage, type Tx } from '../../storage/index.ts';
import type { Crossing } from '../analytics/index.ts';
import { apiKey, type KeyWithCredits, keysBySeq } from '../api-keys/index.ts';
import type { OutgoingEvent, Topic } from '../changes/index.ts';
import { type Notices, noticesOfProjects, REPEAT_AFTER_MS } from '../projects/index.ts';
import { isMailed, type ScheduleMails } from './mails.ts';

/** A stored time further in the future than this was written before the clock was set back. */
const AHEAD_MS = 60_000;

type LimitCrossing = Extract<Crossing, { kind: 'limit' }>;
type CreditsCrossing = Extract<Crossing, { kind: 'credits' }>;

/**
 * Returns the events of limits and credits that have reached a threshold. Runs in the transaction of the
 * usage flush. Another node, or this node earlier, may have sent the same notice: the row in
 * `threshold_notices` or `credit_pools` decides. Topics without a subscriber get no event; otherwise every
 * busy key would add events each hour.
 */
export const crossingEvents =
  (scheduleMails: ScheduleMails) =>
  async (tx: Tx, crossings: readonly Crossing[], now: number): Promise<OutgoingEvent[]> => {
    const keys = await keysOf(tx, crossings);
    const settings = await noticesOfProjects(tx, keys.values());
    const subscribed = await subscribedTopics(tx, keys, settings);
    const isSubscribed = (each: Crossing) => {
      const key = keys.get(each.keySeq);
      return key !== undefined && subscribed.has(`${key.project_id} ${topicOf(each)}`);
    };
    const wanted = crossings.filter(isSubscribed);
    const first = new Set<Crossing>([
      ...(await newThresholds(tx, wanted)),
      ...(await newCreditNotices(tx, wanted)),
    ]);
    const events = wanted
      .filter((each) => first.has(each))
      .map((each) => eventOf(each, keys.get(each.keySeq)!))
      .map((event) => ({ ...event, isKept: isMailed(settings, event.projectId!) }));
    await scheduleMails(tx, events, settings, now);
    return events;
  };

const topicOf = (crossing: Crossing): Topic => {
  if (crossing.kind === 'limit') return 'limit.threshold';
  return crossing.isExhausted ? 'credits.exhausted' : 'credits.low';
};

async function keysOf(
  tx: Tx,
  crossings: readonly Crossing[],
): Promise<ReadonlyMap<number, KeyWithCredits>> {
  const seqs = [...new Set(crossings.map(({ keySeq }) => keySeq))];
  const keys = new Map<number, KeyWithCredits>();
  for (const chunk of chunksOf(seqs))
    for (const row of await keysBySeq(tx, chunk)) keys.set(row.seq, row);
  return keys;
}

const TOPICS: readonly Topic[] = ['limit.threshold', 'credits.low', 'credits.exhausted'];

/** The pairs of project and topic, as `project topic`, that a webhook or a mail address subscribes to. */
async function subscribedTopics(
  tx: Tx,
  keys: ReadonlyMap<number, KeyWithCredits>,
  settings: ReadonlyMap<string, Notices>,
): Promise<ReadonlySet<string>> {
  const subscribed = new Set<string>();
  const projects = new Map([...keys.values()].map((row) => [row.project_id, row.account_id]));
  for (const [projectId, accountId] of projects) {
    const hooks = await tx
      .selectFrom('webhooks')
      .select('topics')
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', '=', projectId)]))
      .execute();
    const hasMail = settings.get(projectId)!.mailTo.length > 0;
    for (const topic of TOPICS)
      if (hasMail || hooks.some(({ topics }) => topics.includes(`"${topic}"`)))
        subscribed.add(`${projectId} ${topic}`);
  }
  return subscribed;
}

/** One crossing per counter and threshold, sorted, so that nodes lock rows in the same order. */
function distinctLimits(crossings: readonly Crossing[]): LimitCrossing[] {
  const distinct = new Map<string, LimitCrossing>();
  for (const each of crossings)
    if (each.kind === 'limit') distinct.set(`${each.counter} ${each.percent}`, each);
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

async function newThresholds(tx: Tx, crossings: readonly Crossing[]): Promise<LimitCrossing[]> {
  const limits = distinctLimits(crossings);
  const found: LimitCrossing[] = [];
  for (const chunk of chunksOf(limits)) {
    const rows = await tx
      .insertInto('threshold_notices')
      .values(
        chunk.map(({ counter, percent, windowEnds, at }) => ({
          counter,
          percent,
          window_ends: windowEnds,
          noticed_at: at,
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['counter', 'percent'])
          .doUpdateSet({
            window_ends: sql`excluded.window_ends`,
            noticed_at: sql`excluded.noticed_at`,
          })
          .where(sql<boolean>`(threshold_notices.window_ends <= excluded.noticed_at
              and threshold_notices.noticed_at <= excluded.noticed_at - ${REPEAT_AFTER_MS})
            or threshold_notices.noticed_at > excluded.noticed_at + ${AHEAD_MS}`),
      )
      .returning(['counter', 'percent'])
      .execute();
    const names = new Set(rows.map(({ counter, percent }) => `${counter} ${percent}`));
    found.push(...chunk.filter(({ counter, percent }) => names.has(`${counter} ${percent}`)));
  }
  return found;
}

/** Sort key of a pool: pools are locked in this order everywhere. */
const sortKeyOf = ({ projectId, ownerType, owner }: CreditsCrossing): string =>
  `${projectId} ${ownerType} ${owner}`;

const LOW = 1;
const EXHAUSTED = 2;

/** Each step is announced once for a pool, until its credits are set, added or refilled (resets `noticed`). */
async function newCreditNotices(
  tx: Tx,
  crossings: readonly Crossing[],
): Promise<CreditsCrossing[]> {
  const found: CreditsCrossing[] = [];
  const ofPools = crossings
    .filter((each) => each.kind === 'credits')
    .sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : sortKeyOf(a) > sortKeyOf(b) ? 1 : 0));
  for (const each of ofPools) {
    const step = each.isExhausted ? EXHAUSTED : LOW;
    const { numUpdatedRows } = await tx
      .updateTable('credit_pools')
      .set({ noticed: step })
      .where('project_id', '=', each.projectId)
      .where('owner_type', '=', each.ownerType)
      .where('owner', '=', each.owner)
      .where('noticed', '<', step)
      // If this differs, the pool was changed or refilled meanwhile.
      .where('starting_balance', '=', each.startingBalance)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) found.push(each);
  }
  return found;
}

function eventOf(crossing: Crossing, row: KeyWithCredits): OutgoingEvent {
  const { account_id: accountId, project_id: projectId } = row;
  return { type: topicOf(crossing), accountId, projectId, data: dataOf(crossing, row) };
}

function dataOf(crossing: Crossing, row: KeyWithCredits): object {
  const record = apiKey(row);
  if (crossing.kind === 'credits') {
    const { ownerType: owner, remaining, startingBalance } = crossing;
    return { ...record, owner, remaining, startingBalance };
  }
  const { name, percent, consumed, limit } = crossing;
  return { ...record, name, keyName: record.name, share: percent / 100, consumed, limit };
}

/** Deletes notices that are too old to suppress new ones. */
export const sweepThresholds = (storage: Storage, now: number): Promise<unknown> =>
  storage.transaction((tx) =>
    tx
      .deleteFrom('threshold_notices')
      .where('window_ends', '<', now - REPEAT_AFTER_MS)
      .where('noticed_at', '<', now - REPEAT_AFTER_MS)
      .execute(),
  );
