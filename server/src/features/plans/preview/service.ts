import { periodAt } from '@keyward/rules/calendar.ts';
import type { Actor } from '../../../kernel/actor.ts';
import { type Principal, requireScope, tenantOf } from '../../../kernel/authority.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { isoTime } from '../../../kernel/time/clock.ts';
import type { Storage } from '../../../storage/index.ts';
import type { AnalyticsService } from '../../analytics/index.ts';
import { type Limit, limitsText, listOrNull } from '../../policies/index.ts';
import { chooseProject, type ProjectCache } from '../../projects/index.ts';
import type { Plan } from '../schema.ts';
import type { PlanService } from '../service.ts';
import type { ReplayedLimit } from './replay.ts';
import { ReplayTotals } from './replay-totals.ts';
import type { PlanPreview, PreviewPlan } from './schema.ts';
import { previewedKeys } from './store.ts';

/** Usage is recorded by minute. */
const SHORTEST_WINDOW_SECONDS = 60;
const DEFAULT_HOURS = 48;

type RecordedMinutes = Awaited<ReturnType<AnalyticsService['minutes']>>;

interface Parts {
  readonly storage: Storage;
  readonly plans: PlanService;
  readonly projects: ProjectCache;
  readonly analytics: AnalyticsService;
}

/** Replays recorded usage through limits (docs/decisions/0060-replay-of-limits.md). */
export class PreviewService {
  readonly #parts: Parts;
  /** The preview that was queued last. Previews run one at a time: each may use much CPU and memory. */
  #last: Promise<unknown> = Promise.resolve();
  /** Accounts with a preview that has not begun: at most one each, so that no account delays the others. */
  readonly #waiting = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async run(actor: Actor, input: PreviewPlan): Promise<PlanPreview> {
    const { principal } = actor;
    const { customAccountId, key } = input;
    const level = key !== undefined ? 'key' : customAccountId !== undefined ? 'customer' : 'plan';
    if (level !== 'plan' && (input.planId !== undefined || input.credits != null))
      throw new KeywardError(
        'invalid_body',
        'customAccountId and key cannot be combined with planId or credits.',
      );
    const plan = await this.#plan(principal, input);
    const limits =
      input.limits === undefined
        ? (plan?.limits ?? [])
        : (listOrNull<Limit>(limitsText(input.limits)) ?? []);
    const credits = input.credits === undefined ? (plan?.credits ?? null) : input.credits;
    const projectId = plan?.projectId ?? (await this.#project(principal, input.projectId));
    const totals = new ReplayTotals(
      limits.filter(isReplayed).map(replayedLimit),
      credits && replayedCredits(credits),
      level,
    );
    const keys = { projectId, planId: plan?.id, customAccountId, key };
    const hours = input.hours ?? DEFAULT_HOURS;
    // Also checks the rights of the caller.
    const recorded = await this.#parts.analytics.minutes(principal, keys, hours);
    const { accountId } = tenantOf(principal);
    const replayed = await this.#inTurn(accountId, () => this.#replay(recorded, totals));
    return {
      projectId,
      planId: plan?.id ?? null,
      ...replayed,
      skipped: limits.filter((limit) => !isReplayed(limit)).map(({ name }) => name),
    };
  }

  #inTurn<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.has(accountId))
      throw new KeywardError(
        'overloaded',
        'Another preview of this account is already waiting to start. Retry after the time in Retry-After.',
        { headers: ['Retry-After', '5'] },
      );
    this.#waiting.add(accountId);
    const running = this.#last.then(() => {
      this.#waiting.delete(accountId);
      return work();
    });
    this.#last = running.catch(() => {});
    return running;
  }

  async #plan(principal: Principal, { planId, projectId }: PreviewPlan): Promise<Plan | null> {
    if (planId === undefined) return null;
    const plan = await this.#parts.plans.get(principal, planId);
    if (projectId !== undefined && projectId !== plan.projectId)
      throw new KeywardError('plan_not_found');
    return plan;
  }

  async #project(principal: Principal, projectId: string | undefined): Promise<string> {
    const { projects } = this.#parts;
    const project = await chooseProject(projects, principal, projectId, (resource) =>
      requireScope(principal, 'plans:read', resource, 'project_not_found'),
    );
    return project.id;
  }

  async #replay({ from, to, pages }: RecordedMinutes, totals: ReplayTotals) {
    const { storage } = this.#parts;
    const readKeys = (seqs: readonly number[]) => previewedKeys(storage.read, seqs);
    let end = to;
    for await (const page of pages)
      if (!(await totals.addPage(page, readKeys))) {
        end = page.at(-1)!.start;
        break;
      }
    const { evaluated, refused, omittedRequests } = totals;
    return {
      from: isoTime(from),
      to: isoTime(end),
      evaluated,
      refused,
      limits: totals.limitResults(),
      credits: totals.creditsResult(),
      omittedRequests,
    };
  }
}

/** What usage by minute says enough about: neither units nor resources, and no anchors of customers. */
const isReplayed = ({ rateLimitTtl, unit, for: patterns, anchor }: Limit): boolean =>
  unit === undefined &&
  patterns === undefined &&
  anchor !== 'customer' &&
  (rateLimitTtl === undefined || rateLimitTtl >= SHORTEST_WINDOW_SECONDS);

const replayedLimit = (limit: Limit): ReplayedLimit => ({
  name: limit.name,
  limit: limit.rateLimit,
  per: limit.per,
  isSliding: limit.algorithm === 'sliding',
  isEnforced: limit.mode === 'enforce',
  lengthAt: lengthOf(limit),
});

function lengthOf({ rateLimitTtl, interval, timezone = 'UTC', anchor }: Limit) {
  if (interval === undefined) return () => rateLimitTtl! * 1000;
  const calendar = { interval, timezone, anchor: anchor === undefined ? null : Date.parse(anchor) };
  return (time: number) => periodAt(time, calendar).end - time;
}

/** Credits are spent like a fixed window that ends at the next refill. */
const replayedCredits = ({ amount, interval }: NonNullable<Plan['credits']>): ReplayedLimit => ({
  name: 'credits',
  limit: amount,
  per: 'customer',
  isSliding: false,
  isEnforced: true,
  lengthAt: (time) =>
    interval === null
      ? Number.POSITIVE_INFINITY
      : periodAt(time, { interval, timezone: 'UTC' }).end - time,
});
