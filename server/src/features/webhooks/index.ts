import type { Route } from '../../kernel/route.ts';
import type { DeliveryHistory } from './delivery-history.ts';
import type { Pinger } from './pinger.ts';
import type { ReplayService } from './replay-service.ts';
import { createWebhook } from './routes/create-webhook.ts';
import { deleteWebhook } from './routes/delete-webhook.ts';
import { getDelivery } from './routes/get-delivery.ts';
import { getReplay } from './routes/get-replay.ts';
import { getWebhook } from './routes/get-webhook.ts';
import { listDeliveries } from './routes/list-deliveries.ts';
import { listReplays } from './routes/list-replays.ts';
import { listTopics } from './routes/list-topics.ts';
import { listWebhooks } from './routes/list-webhooks.ts';
import { pingWebhook } from './routes/ping-webhook.ts';
import { retryDelivery } from './routes/retry-delivery.ts';
import { rotateWebhookSecret } from './routes/rotate-webhook-secret.ts';
import { startReplay } from './routes/start-replay.ts';
import { updateWebhook } from './routes/update-webhook.ts';
import type { WebhookService } from './service.ts';

export { parseAllowList } from './delivery/address-rules.ts';
export { backlogOf } from './delivery/claims.ts';
export { DeliveryEngine } from './delivery/engine.ts';
export { createGuardedAgent } from './delivery/guarded-agent.ts';
export { Pace } from './delivery/pace.ts';
export { sweepDeliveries } from './delivery/retention.ts';
export { DeliveryHistory } from './delivery-history.ts';
export { DESCRIBED_EVENTS, type DescribedEvent } from './event-schemas.ts';
export { TransactionalOutbox } from './outbox.ts';
export { Pinger } from './pinger.ts';
export { ReplayRunner } from './replay-runner.ts';
export { ReplayService } from './replay-service.ts';
export { WebhookService } from './service.ts';
export type { ReadPrincipal } from './value-rights.ts';

export const webhookRoutes = (parts: {
  webhooks: WebhookService;
  history: DeliveryHistory;
  replays: ReplayService;
  pinger: Pinger;
}): Route[] => [
  listTopics(),
  createWebhook(parts.webhooks),
  listWebhooks(parts.webhooks),
  getWebhook(parts.webhooks),
  updateWebhook(parts.webhooks),
  deleteWebhook(parts.webhooks),
  rotateWebhookSecret(parts.webhooks),
  pingWebhook(parts.pinger),
  listDeliveries(parts.history),
  getDelivery(parts.history),
  retryDelivery(parts.history),
  startReplay(parts.replays),
  listReplays(parts.replays),
  getReplay(parts.replays),
];
