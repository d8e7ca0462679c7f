import type { Delivery, Webhook } from '../../api/records.ts';
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

/** The status of one delivery: one that failed and will be retried is not just pending. */
export const deliveryStatus = (delivery: Pick<Delivery, 'status' | 'attempts'>): StatusText =>
  delivery.status === 'pending' && delivery.attempts > 0
    ? { tone: 'bad', label: 'Failed, retrying' }
    : DELIVERY_STATUSES[delivery.status];

/** How one delivery counts: one that was tried in vain and waits to be tried again is in trouble. */
export type Fate = 'delivered' | 'retrying' | 'failed' | 'waiting';

export function fateOf({ status, attempts }: Pick<Delivery, 'status' | 'attempts'>): Fate {
  if (status === 'delivered' || status === 'failed') return status;
  return status !== 'cancelled' && attempts > 0 ? 'retrying' : 'waiting';
}

interface Health {
  readonly tone: Tone;
  readonly text: string;
}

/** How a webhook is doing, from its latest deliveries. */
export function healthOf(deliveries: readonly Delivery[]): Health {
  const fates = deliveries.map(fateOf);
  const count = (fate: Fate) => fates.filter((one) => one === fate).length;
  const [failed, retrying, waiting] = [count('failed'), count('retrying'), count('waiting')];
  if (fates.length === 0) return { tone: 'neutral', text: 'No deliveries yet' };
  if (failed > 0) return { tone: 'bad', text: `${failed} of ${fates.length} failed` };
  if (retrying > 0) return { tone: 'bad', text: `${retrying} of ${fates.length} failing` };
  if (waiting > 0)
    return { tone: 'accent', text: `${counted(waiting, 'delivery', 'deliveries')} pending` };
  return { tone: 'good', text: `Last ${fates.length} delivered` };
}
