import type { Delivery, Webhook } from 'keyward';
import type { Tone } from '../../components/feedback/notice.tsx';
import { counted } from '../../text/numbers.ts';

export const STATUSES: Record<Webhook['status'], { readonly tone: Tone; readonly label: string }> =
  {
    live: { tone: 'good', label: 'Active' },
    paused: { tone: 'neutral', label: 'Paused' },
    disabled: { tone: 'bad', label: 'Disabled' },
  };

export const DELIVERY_STATUSES: Record<
  Delivery['status'],
  { readonly tone: Tone; readonly label: string }
> = {
  pending: { tone: 'warn', label: 'Pending' },
  held: { tone: 'neutral', label: 'On hold' },
  delivered: { tone: 'good', label: 'Delivered' },
  failed: { tone: 'bad', label: 'Failed' },
  cancelled: { tone: 'neutral', label: 'Cancelled' },
};

interface StatusText {
  readonly tone: Tone;
  readonly label: string;
}

/** Status of a delivery. A pending delivery with failed attempts is shown as failed. */
export const deliveryStatus = (delivery: Pick<Delivery, 'status' | 'attempts'>): StatusText =>
  delivery.status === 'pending' && delivery.attempts > 0
    ? { tone: 'bad', label: 'Failed, retrying' }
    : DELIVERY_STATUSES[delivery.status];

/** State for the health summary: a pending delivery with failed attempts counts as retrying. */
export type DeliveryState = 'delivered' | 'retrying' | 'failed' | 'waiting';

export function stateOf({
  status,
  attempts,
}: Pick<Delivery, 'status' | 'attempts'>): DeliveryState {
  if (status === 'delivered' || status === 'failed') return status;
  return status !== 'cancelled' && attempts > 0 ? 'retrying' : 'waiting';
}

interface Health {
  readonly tone: Tone;
  readonly text: string;
}

/** Health of a webhook, from its latest deliveries. */
export function healthOf(deliveries: readonly Delivery[]): Health {
  const states = deliveries.map(stateOf);
  const count = (state: DeliveryState) => states.filter((one) => one === state).length;
  const [failed, retrying, waiting] = [count('failed'), count('retrying'), count('waiting')];
  if (states.length === 0) return { tone: 'neutral', text: 'No deliveries yet' };
  if (failed > 0) return { tone: 'bad', text: `${failed} of ${states.length} failed` };
  if (retrying > 0) return { tone: 'bad', text: `${retrying} of ${states.length} failing` };
  if (waiting > 0)
    return { tone: 'accent', text: `${counted(waiting, 'delivery', 'deliveries')} pending` };
  return { tone: 'good', text: `Last ${states.length} delivered` };
}
