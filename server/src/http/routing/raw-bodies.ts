import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressPrefix } from '../../kernel/address-prefix.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { FairQueue } from '../../kernel/fair-queue.ts';
import type { RawBody } from '../../kernel/route.ts';

/** Requests of one network that can wait; more are refused. */
const WAITING_PER_NETWORK = 10;
/** Twice the time of a body: while strangers hold all slots, a slot becomes free in less. */
const WAIT_MS = 10_000;

const CLOSE = { headers: ['Connection', 'close'] };
const busy = () => new KeywardError('overloaded', undefined, { headers: ['Retry-After', '10'] });

/**
 * Bodies of requests without a credential, which are proven by a signature over the whole body. Before a body is
 * read, its headers are checked and the request waits for one of a few slots, in which networks take turns. A slot
 * is held until the response has been sent.
 *
 * refused ◀── headers checked ──▶ waiting ──▶ reading (at most `msMax`) ──▶ handled
 */
export function limitRawBodies(server: FastifyInstance): void {
  const queues = new WeakMap<RawBody, FairQueue>();
  const queueOf = (rawBody: RawBody): FairQueue => {
    const { atOnce } = rawBody;
    const limits = { perCaller: atOnce, total: atOnce, waitingPerCaller: WAITING_PER_NETWORK };
    const queue = queues.get(rawBody) ?? new FairQueue(limits);
    queues.set(rawBody, queue);
    return queue;
  };
  server.addHook('onRequest', async (request, reply) => {
    const rawBody = request.routeOptions.config.route?.rawBody;
    if (rawBody === undefined) return;
    await rawBody.checkHeaders(request.headers);
    await slot(queueOf(rawBody), request, reply);
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
}

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
