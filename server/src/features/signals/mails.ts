import { sql } from 'kysely';
import { idFloor } from '../../kernel/ids.ts';
import { isoTime } from '../../kernel/time/clock.ts';
import type { Storage, Tx } from '../../storage/index.ts';
import type { ApiKey } from '../api-keys/index.ts';
import type { OutgoingEvent, Topic } from '../changes/index.ts';
import { type MailQueue, type NoticeItem, noticeMail } from '../people/index.ts';
import { type Notices, noticesOf } from '../projects/index.ts';
import { DAY_MS } from './expiry/rules.ts';

/** A mail waits this long, to include notices that follow shortly. */
const GATHER_MS = 5 * 60_000;
const ITEMS_MAX = 20;
/** Bounds the work of a mail, which is written in a transaction. */
const EVENTS_MAX = 10_000;
const MAILS_PER_STEP = 20;
/** The data of a notice begins with the id of its key, which ends at this position. */
const ID_END = '{"id":"key_01234567890123456789012345"'.length;

const KINDS = {
  expiry: {
    topics: ['api-key.expiring', 'api-key.expired'],
    subject: 'API keys that expire',
    intro: 'These keys expire soon, or have expired. Rotate them, or set a later expiry.',
  },
  limits: {
    topics: ['limit.threshold'],
    subject: 'API keys near their limits',
    intro: 'Requests with these keys have reached a threshold of their limits.',
  },
  credits: {
    topics: ['credits.low', 'credits.exhausted'],
    subject: 'API keys with few credits',
    intro: 'These keys have few or no credits left.',
  },
} as const satisfies Record<string, { topics: readonly Topic[]; subject: string; intro: string }>;
type Kind = keyof typeof KINDS;

const kindOf = (topic: Topic): Kind | undefined =>
  (Object.keys(KINDS) as Kind[]).find((kind) =>
    KINDS[kind].topics.some((each: Topic) => each === topic),
  );

/** Schedules mails about these events, in their transaction. */
export type ScheduleMails = (
  tx: Tx,
  events: readonly OutgoingEvent[],
  settings: ReadonlyMap<string, Notices>,
  now: number,
) => Promise<void>;

/** Whether mails are composed from the notices of a project. */
export const isMailed = (settings: ReadonlyMap<string, Notices>, projectId: string): boolean =>
  (settings.get(projectId)?.mailTo.length ?? 0) > 0;

interface NoticeMailsParts {
  readonly storage: Storage;
  readonly mails: MailQueue;
  readonly publicUrl: () => string;
}

/**
 * Mails about notices: at most one a day for each project and kind, with everything that happened since
 * the last one. The events are read when a mail is written.
 */
export class NoticeMails {
  readonly #parts: NoticeMailsParts;

  constructor(parts: NoticeMailsParts) {
    this.#parts = parts;
  }

  readonly schedule: ScheduleMails = async (tx, events, settings, now) => {
    if (!this.#parts.mails.isConfigured) return;
    const wanted = new Map<string, { project_id: string; kind: Kind }>();
    for (const { projectId, type } of events) {
      const kind = kindOf(type);
      if (projectId === null || kind === undefined) continue;
      if (!isMailed(settings, projectId)) continue;
      wanted.set(`${projectId} ${kind}`, { project_id: projectId, kind });
    }
    for (const row of wanted.values())
      await tx
        .insertInto('notice_mails')
        .values({ ...row, due_at: now + GATHER_MS, sent_at: null })
        .onConflict((conflict) =>
          conflict.columns(['project_id', 'kind']).doUpdateSet({
            due_at: sql`coalesce(notice_mails.due_at, case
              when notice_mails.sent_at + ${DAY_MS} > excluded.due_at
              then notice_mails.sent_at + ${DAY_MS} else excluded.due_at end)`,
            // The next mail includes these events, even if they were created before the last mail and
            // committed after it.
            sent_at: sql`case
              when notice_mails.due_at is null and notice_mails.sent_at >= ${now}
              then ${now - 1} else notice_mails.sent_at end`,
          }),
        )
        .execute();
  };

  /** Queues the mails that are due. Returns whether there may be more. */
  async step(now: number): Promise<boolean> {
    const due = await this.#parts.storage.read
      .selectFrom('notice_mails')
      .innerJoin('projects', 'projects.id', 'notice_mails.project_id')
      .select(['project_id', 'kind', 'due_at', 'sent_at', 'account_id', 'name', 'notices'])
      .where('due_at', '<=', now)
      .where('projects.is_active', '=', 1)
      .orderBy('due_at')
      .limit(MAILS_PER_STEP)
      .execute();
    for (const row of due) await this.#queue(row, now);
    if (due.length > 0) this.#parts.mails.wake();
    return due.length === MAILS_PER_STEP;
  }

  async #queue(row: DueMail, now: number): Promise<void> {
    const { storage, mails } = this.#parts;
    const { subject, intro } = KINDS[row.kind];
    await storage.transaction(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('notice_mails')
        .set({ due_at: null, sent_at: now })
        .where('project_id', '=', row.project_id)
        .where('kind', '=', row.kind)
        .where('due_at', '=', row.due_at)
        .executeTakeFirst();
      // Another node has queued this mail.
      if (numUpdatedRows === 0n) return;
      // Only after the update, which locks the row: a transaction with further events waits for it, and then schedules
      // the next mail.
      const summary = await this.#summary(tx, row);
      if (summary.items.length === 0) return;
      const link = this.#projectLink(row);
      for (const to of noticesOf(row.notices).mailTo) {
        const about = { to, subject: `${subject}: ${row.name}`, intro, ...summary, link };
        await mails.put(tx, noticeMail(about), now);
      }
    });
  }

  /** The notices since the last mail, newest first. Each key is listed once. */
  async #summary(tx: Tx, row: DueMail): Promise<NoticeSummary> {
    const since = row.sent_at ?? row.due_at! - DAY_MS;
    const recent = tx
      .selectFrom('events')
      .select(['id', 'data'])
      .where('account_id', '=', row.account_id)
      .where('id', '>', idFloor('evt', since))
      .where('created_at', '>', since)
      .where('project_id', '=', row.project_id)
      .where('type', 'in', KINDS[row.kind].topics)
      .orderBy('id', 'desc')
      .limit(EVENTS_MAX);
    const newest = await tx
      .selectFrom(recent.as('recent'))
      .select(({ fn }) => [
        fn.max('id').as('id'),
        sql<number | string>`count(*) over ()`.as('count'),
        sql<number | string>`sum(count(*)) over ()`.as('events'),
      ])
      .groupBy(sql`substr(data, 1, ${sql.lit(ID_END)})`)
      .orderBy('id', 'desc')
      .limit(ITEMS_MAX)
      .execute();
    if (newest.length === 0) return { items: [], count: 0, isExact: true };
    const ids = newest.map(({ id }) => id);
    const events = await tx
      .selectFrom('events')
      .select(['type', 'data'])
      .where('id', 'in', ids)
      .orderBy('id', 'desc')
      .execute();
    const items = events.map(({ type, data }) => {
      const record: NoticeData = JSON.parse(data);
      const link = `${this.#projectLink(row)}/keys/${record.id}`;
      return { text: sentenceOf(type as Topic, record), link };
    });
    const { count, events: read } = newest[0]!;
    return { items, count: Number(count), isExact: Number(read) < EVENTS_MAX };
  }

  #projectLink({ project_id }: DueMail): string {
    return `${this.#parts.publicUrl().replace(/\/+$/, '')}/dashboard/p/${project_id}`;
  }
}

interface NoticeSummary {
  readonly items: NoticeItem[];
  readonly count: number;
  /** False: `count` is only a minimum. */
  readonly isExact: boolean;
}

interface DueMail {
  readonly project_id: string;
  readonly kind: Kind;
  readonly due_at: number | null;
  readonly sent_at: number | null;
  readonly account_id: string;
  readonly name: string;
  readonly notices: string | null;
}

type NoticeData = ApiKey & {
  readonly keyName?: string;
  readonly share?: number;
  readonly limit?: number;
  readonly consumed?: number;
  readonly remaining?: number;
  readonly daysLeft?: number;
};

function sentenceOf(topic: Topic, data: NoticeData): string {
  const key = `${data.keyName ?? data.name} (${data.key})`;
  switch (topic) {
    case 'api-key.expiring':
      return `${key} expires on ${timeText(data.expiresAt)}.`;
    case 'api-key.expired':
      return `${key} expired on ${timeText(data.expiresAt)}.`;
    case 'limit.threshold':
      return `The limit "${data.name}" of ${key} is at ${data.consumed} of ${data.limit} requests.`;
    case 'credits.low':
      return `${key} has ${data.remaining === 1 ? '1 credit' : `${data.remaining} credits`} left.`;
    default:
      return `${key} has no credits left.`;
  }
}

const timeText = (time: string | null): string =>
  (time ?? isoTime(0)).slice(0, 16).replace('T', ' ').concat(' UTC');
