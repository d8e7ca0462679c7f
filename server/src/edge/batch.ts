import type { Conditions } from '@keyward/rules/check-key.ts';
import { bodyHeaders } from '../features/validation/wire/body-headers.ts';
import { resultText } from '../features/validation/wire/responses.ts';
import type { RouteResponse } from '../kernel/route.ts';
import type { Caller } from './callers.ts';
import { UpstreamUnavailable } from './upstream.ts';
import { type EdgeValidator, unavailable } from './validator.ts';
import { type EdgeVerdict, renderedKey, verdictOf } from './verdicts.ts';

/**
 * The most unknown keys of a batch that are fetched one by one, which caches them. The server validates the
 * rest in one request.
 */
const FETCHED_MAX = 16;
/** Keys decided at a time; other requests run in between. */
const SLICE_KEYS = 100;
/** With at most this many keys, even the largest records fit into a response. */
const SMALL_BATCH_MAX = 100;
/**
 * If the response to a batch may be larger, the whole batch is sent to the server. If it is larger, the
 * server rejects the batch before it counts anything.
 */
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
/** Upper bound of the size of a result without its record. */
const RESULT_BYTES = 2_048;

/** One element of a batch. */
export interface BatchItem {
  readonly value: string;
  readonly conditions: Conditions;
  /** As the caller sent it. */
  readonly element: unknown;
}

export interface EdgeBatch {
  readonly items: readonly BatchItem[];
  readonly origin: string | undefined;
  /** The body without `keys`. */
  readonly common: object;
}

/** Validates several keys: known ones here, and those that need the server in one request. */
export async function validateBatch(
  validator: EdgeValidator,
  caller: Caller,
  batch: EdgeBatch,
): Promise<RouteResponse> {
  const { items } = batch;
  const bytes = estimatedBytes(caller, items);
  const held = await validator.responses.reserve(
    { name: caller.accessKey },
    Math.min(bytes, RESPONSE_BYTES_MAX),
  );
  try {
    const mayBeTooLarge = items.length > SMALL_BATCH_MAX && bytes > RESPONSE_BYTES_MAX;
    const response = await (mayBeTooLarge ? forwardAll : decideAll)(validator, caller, batch);
    held.send(response.body.length);
    return { ...response, onDone: held.release };
  } catch (error) {
    held.release();
    throw error;
  }
}

async function decideAll(
  validator: EdgeValidator,
  caller: Caller,
  batch: EdgeBatch,
): Promise<RouteResponse> {
  const { items } = batch;
  const results: string[] = new Array(items.length);
  for (const group of groupsOf(caller, items)) {
    const ofGroup = await validateGroup(validator, caller, {
      ...batch,
      items: group.map((n) => items[n]!),
    });
    if (!Array.isArray(ofGroup)) return ofGroup;
    for (const [at, n] of group.entries()) results[n] = ofGroup[at]!;
  }
  return responseOf(results);
}

/** Indexes of the items, in groups that are decided one after the other. */
function groupsOf(caller: Caller, items: readonly BatchItem[]): number[][] {
  // While changes arrive late, the server decides every key: one group, so one request.
  return caller.decider.isFresh ? groupsByNeed(caller, items) : [[...items.keys()]];
}

/**
 * The keys that are most likely to need the server come first. If the server is unavailable, the batch fails
 * before the other keys are counted here, and the caller can send the whole batch again.
 */
function groupsByNeed({ decider }: Caller, items: readonly BatchItem[]): number[][] {
  const all = [...items.keys()];
  const entries = items.map(({ value }) => decider.peek(value));
  const groups = [
    all.filter((n) => entries[n] === undefined),
    all.filter((n) => entries[n] !== undefined && entries[n].quotas !== null),
    all.filter((n) => entries[n]?.quotas === null),
  ];
  return groups.filter(({ length }) => length > 0);
}

/** The results as text; a response if the server rejected the whole request. */
async function validateGroup(
  validator: EdgeValidator,
  caller: Caller,
  batch: EdgeBatch,
): Promise<string[] | RouteResponse> {
  const { items } = batch;
  const results = new Array<string | null>(items.length).fill(null);
  const fetched = new Set<string>();
  for (let start = 0; start < items.length; start += SLICE_KEYS) {
    if (start > 0) await new Promise((resolve) => setImmediate(resolve));
    const slice = items.slice(start, start + SLICE_KEYS);
    const decisions = slice.map(({ value, conditions }) => {
      if (caller.decider.peek(value) === undefined && !fetched.has(value)) {
        if (fetched.size >= FETCHED_MAX) return 'ask';
        fetched.add(value);
      }
      return validator.decide(caller, value, conditions);
    });
    for (const [n, decision] of (await Promise.all(decisions)).entries())
      if (decision !== 'ask') results[start + n] = textOf(validator.counted(verdictOf(decision)));
  }
  const undecided = items.filter((_, n) => results[n] === null);
  if (undecided.length === 0) return results as string[];
  const fromServer = await askServer(validator, caller, { ...batch, items: undecided });
  if (!Array.isArray(fromServer)) return fromServer;
  const next = fromServer.values();
  return results.map((result) => result ?? (next.next().value as string));
}

/** The results of the server as text; a response if it rejected the whole request. */
async function askServer(
  validator: EdgeValidator,
  caller: Caller,
  batch: EdgeBatch,
): Promise<string[] | RouteResponse> {
  try {
    const response = await forwardAll(validator, caller, batch);
    if (response.status !== 200) return response;
    for (const _ of batch.items) validator.count('forwarded');
    return (JSON.parse(response.body) as unknown[]).map((result) => JSON.stringify(result));
  } catch (error) {
    if (!(error instanceof UpstreamUnavailable)) throw error;
    const results: string[] = new Array(batch.items.length);
    for (const n of groupsByNeed(caller, batch.items).flat()) {
      const { value, conditions } = batch.items[n]!;
      const verdict = validator.validateStale(caller, value, conditions);
      if (verdict === null) throw unavailable(error);
      results[n] = textOf(verdict);
    }
    return results;
  }
}

const forwardAll = (
  validator: EdgeValidator,
  caller: Caller,
  { items, common, origin }: EdgeBatch,
): Promise<RouteResponse> =>
  validator.forward(
    caller,
    JSON.stringify({ ...common, keys: items.map(({ element }) => element) }),
    { origin, isBatch: true },
  );

const textOf = (verdict: EdgeVerdict): string => resultText(verdict, verdict.time ?? 0);

const responseOf = (results: readonly string[]): RouteResponse => {
  const body = `[${results.join(',')}]`;
  return { status: 200, headers: bodyHeaders(Buffer.byteLength(body)), body };
};

/** Estimated size of the response. Keys that are not cached count without a record. */
function estimatedBytes(caller: Caller, items: readonly BatchItem[]): number {
  let bytes = 0;
  for (const { value } of items) {
    const entry = caller.decider.peek(value);
    bytes += RESULT_BYTES + (entry === undefined ? 0 : renderedKey(entry).bodyBytes);
  }
  return bytes;
}
