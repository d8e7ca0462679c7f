import type { Delivery } from 'keyward';
import { describe, expect, it } from 'vitest';
import { healthOf, stateOf } from './webhook-health.ts';

const delivery = (status: Delivery['status'], attempts = 1): Delivery => ({
  id: 'dlv_1',
  webhookId: 'whk_1',
  eventId: 'evt_1',
  topic: 'api-key.created',
  resourceId: 'key_1',
  resourceName: 'Acme',
  status,
  attempts,
  lastStatusCode: null,
  lastError: null,
  dueAt: null,
  replayId: null,
  createdAt: '2030-01-01T00:00:00.000Z',
  updatedAt: '2030-01-01T00:00:00.000Z',
  recentAttempts: [],
});

describe('webhook health', () => {
  it('distinguishes a first attempt from a retry', () => {
    expect(stateOf(delivery('pending', 0))).toBe('waiting');
    expect(stateOf(delivery('pending', 2))).toBe('retrying');
    expect(stateOf(delivery('held', 2))).toBe('retrying');
    expect(stateOf(delivery('cancelled', 2))).toBe('waiting');
  });

  it('shows failures before retries', () => {
    const [good, bad, retrying] = [delivery('delivered'), delivery('failed'), delivery('pending')];
    expect(healthOf([]).text).toBe('No deliveries yet');
    expect(healthOf([good, good]).text).toBe('Last 2 delivered');
    expect(healthOf([good, retrying])).toEqual({ tone: 'bad', text: '1 of 2 failing' });
    expect(healthOf([good, retrying, bad])).toEqual({ tone: 'bad', text: '1 of 3 failed' });
    expect(healthOf([delivery('pending', 0)]).text).toBe('1 delivery pending');
  });
});
