import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressPrefix } from '../../kernel/address-prefix.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { FairQueue } from '../../kernel/fair-queue.ts';
import { BODY_BYTES_MAX } from '../../kernel/json/json.ts';
import type { RawBody } from '../../kernel/route.ts';

/** Requests of one network that can wait; more are refused. */
const WAITING_PER_NETWORK = 10;
/** Twice the time of a body (`msMax`), so that a request outlasts the slow bodies that hold all slots. */
const WAIT_MS = 10_000;

const CLOSE = { headers: ['Connection', 'close'] };
const busy = () => new KeywardError('overloaded', undefined, { headers: ['Retry-After', '10'] });

/** The slots of a route: for large bodies that arrive, and for bodies of any size that are complete. */
interface Slots {
  readonly reading: FairQueue;
  readonly handling: FairQueue;
}

/**
 * Bodies of requests without a credential, which are proven by a signature over the whole body. A large body is read
 * only when its request has one of a few slots, in which networks take turns. Others are read at once: they take no
 * more memory than those of other routes, nor than a request that waits. Otherwise, strangers in a few networks
 * who send slowly could keep everybody else waiting. A slot is held until the response has been sent.
 *
 * refused ◀── headers checked ──▶ waiting, if large ──▶ reading (at most `msMax`) ──▶ waiting ──▶ handled
 */
export function limitRawBodies(server: FastifyInstance): void {
  const slots = new WeakMap<RawBody, Slots>();
  const slotsOf = (rawBody: RawBody): Slots => {
    const { atOnce } = rawBody;
    const limits = { perCaller: atOnce, total: atOnce, waitingPerCaller: WAITING_PER_NETWORK };
    const all = slots.get(rawBody) ?? {
      reading: new FairQueue(limits),
      handling: new FairQueue(limits),
    };
    slots.set(rawBody, all);
    return all;
  };
  server.addHook('onRequest', async (request, reply) => {
    const rawBody = request.routeOptions.config.route?.rawBody;
    if (rawBody === undefined) return;
    await rawBody.checkHeaders(request.headers);
    if (!isSmall(request)) await slot(slotsOf(rawBody).reading, request, reply);
  });
  server.addHook('preParsing', async (request, _reply, payload) => {
    const rawBody = request.routeOptions.config.route?.rawBody;
    if (rawBody === undefined) return payload;
    const limited = new PassThrough();
    const timeOut = () => limited.destroy(new KeywardError('request_timeout', undefined, CLOSE));
    const timer = setTimeout(timeOut, rawBody.msMax);
    limited.once('close', () => clearTimeout(timer));
    return payload.pipe(limited);
  });
  server.addHook('preValidation', async (request, reply) => {
    const rawBody = request.routeOptions.config.route?.rawBody;
    if (rawBody !== undefined) await slot(slotsOf(rawBody).handling, request, reply);
  });
}

/** Chunked bodies, whose size is unknown, are large. */
const isSmall = ({ headers }: FastifyRequest): boolean =>
  Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= BODY_BYTES_MAX;

function slot(queue: FairQueue, { ip }: FastifyRequest, { raw }: FastifyReply): Promise<void> {
  return new Promise((resolve, reject) => {
    let isWaiting = true;
    const timer = setTimeout(() => {
      isWaiting = false;
      reject(busy());
    }, WAIT_MS);
    const hold = () => {
      clearTimeout(timer);
      if (!isWaiting || raw.closed) return;
      resolve();
      return new Promise<void>((release) => void raw.once('close', release));
    };
    Promise.resolve(queue.run(addressPrefix(ip, 4, 4), hold)).catch(() => {
      clearTimeout(timer);
      reject(busy());
    });
  });
}
