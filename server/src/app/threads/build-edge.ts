import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { destination, pino } from 'pino';
import type { Counters } from '../../cluster/counters.ts';
import { SharedCounters } from '../../cluster/shared-counters.ts';
import { type Asked, asking, type CallFailure } from '../../cluster/threads/thread-calls.ts';
import { hearChanges } from '../../cluster/threads/thread-changes.ts';
import { Keyring } from '../../features/access-keys/index.ts';
import { UsageTally } from '../../features/analytics/index.ts';
import { ProjectStates } from '../../features/projects/index.ts';
import { Validator } from '../../features/validation/index.ts';
import { FrontServer } from '../../http/front-server.ts';
import { validationTimes } from '../../http/hot-path/validation-times.ts';
import { Validations } from '../../http/hot-path/validations.ts';
import { Overload } from '../../http/overload.ts';
import { createRequestIds } from '../../http/request-id.ts';
import { createForwarding } from '../../http/threads/forward.ts';
import { createShedding } from '../../http/threads/shedding.ts';
import { answerUnreadable } from '../../http/unreadable.ts';
import { systemClock } from '../../kernel/clock.ts';
import { deriveSecrets } from '../../kernel/crypto.ts';
import { StorageUnavailable } from '../../storage/index.ts';
import { drain } from '../drain.ts';
import { listen } from '../listen.ts';
import { EdgeFigures } from './edge-figures.ts';
import type { EdgeOptions, ForEdges, OfEdge } from './edge-terms.ts';

const LOOK_EVERY_MS = 250;

/**
 * A thread that answers ordinary validations by itself: what it remembers, it drops when it is told,
 * and the windows of rate limits are those of all threads. Every other request goes to the thread
 * that has the database.
 */
export function buildEdge(options: EdgeOptions): OfEdge {
  const { host, changes, windows } = options;
  const log = pino({ level: options.logLevel, base: { pid: process.pid } }, destination(2));
  const clock = systemClock;
  const main = asking<ForEdges>(options.main, toError);
  const news = hearChanges(changes);
  const secrets = deriveSecrets(options.rootSecret);
  const projects = new ProjectStates(news);
  const tally = new UsageTally({
    write: main.writeUsage,
    onError: (err) => log.error({ err }, 'usage flush failed; kept for the next one'),
  });
  const keyring = new Keyring({
    readAccessKey: main.readAccessKey,
    secrets,
    bus: news,
    projects,
  });
  const validator = new Validator({
    readKey: main.readKey,
    secrets,
    counters: windows === null ? countersOf(main) : new SharedCounters(windows),
    bus: news,
    projects,
    tally,
    clock,
    cacheBytes: options.cacheBytes,
  });
  const figures = new EdgeFigures(options.figures);
  const overload = new Overload();
  const nextRequestId = createRequestIds();
  const validations = new Validations({
    keyring,
    validator,
    times: validationTimes(figures.validationTimes),
    overload,
    isInTouch: news.isInTouch,
    nextRequestId,
    clock,
    log,
  });
  const forward = createForwarding({
    socketPath: options.socketPath,
    nextRequestId,
    onError: (err) => log.error({ err }, 'a request could not be handed to the main thread'),
  });
  const otherwise = createShedding({
    overload,
    nextRequestId,
    isShed: isValidation,
    otherwise: learning(keyring, forward),
  });
  const server = new FrontServer(validations, otherwise).on('clientError', (error, socket) =>
    answerUnreadable(error, socket, nextRequestId()),
  );

  function look(): void {
    // Also when nobody asks anything: what lies in the mailbox takes memory.
    news.isInTouch();
    const { hits, misses, size, bytes } = validator.cache;
    const cache = { hits, misses, entries: size, bytes };
    const { figures: load } = overload;
    figures.write({ outcomes: validator.outcomes, cache, usage: tally, overload: load });
  }
  let looking: NodeJS.Timeout | undefined;

  return {
    async listen(port) {
      await listen(server, port, host, 'PORT', { reusePort: true });
      tally.start();
      overload.start();
      looking = setInterval(look, LOOK_EVERY_MS);
      return (server.address() as AddressInfo).port;
    },
    async stop() {
      await drain(server);
      overload.stop();
      await tally.stop();
      clearInterval(looking);
      look();
    },
  };
}

/** Whoever is answered 503 there is answered so here. */
const toError = ({ kind, message }: CallFailure): Error =>
  kind === StorageUnavailable.name ? new StorageUnavailable(message) : new Error(message);

/** Counters for all nodes are asked by one thread, which knows whether they answer. */
const countersOf = (main: Asked<ForEdges>): Counters => ({
  take: main.take,
  lease: refuse,
  giveBack: refuse,
});

function refuse(): never {
  throw new Error('Leases are given by the main thread.');
}

/** An access key that another thread found good is asked for, so that the next one is answered here. */
function learning(keyring: Keyring, forward: RequestListener): RequestListener {
  return (request, response) => {
    const value = request.headers['x-api-key'];
    if (typeof value === 'string' && isValidation(request))
      response.once('finish', () => {
        if (response.statusCode === 401 || keyring.held(value) !== undefined) return;
        // Whatever goes wrong with it is told when the key is used.
        keyring.find(value).catch(() => {});
      });
    forward(request, response);
  };
}

const isValidation = ({ method, url }: IncomingMessage): boolean =>
  method === 'POST' && url!.startsWith('/api-keys/auth');
