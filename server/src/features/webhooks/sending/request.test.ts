import { describe, expect, it } from 'vitest';
import { deriveSecrets } from '../../../kernel/secrets/crypto.ts';
import { encryptHeaders, encryptSecret, eventContext } from '../encryption.ts';
import { newSecret, signatureHeaders } from '../transport/sign.ts';
import type { Job } from './batch.ts';
import { requestFor } from './request.ts';

const secrets = deriveSecrets('a root secret for tests, and for nothing else');
const NOW = Date.UTC(2030, 0, 1);
const secret = newSecret();
const previous = newSecret();

const jobWith = (
  headers: Record<string, string>,
  sealed: object | null = null,
  webhook: object = {},
  carriesValue = true,
) =>
  ({
    delivery: { carriesValue },
    event: {
      id: 'evt_1',
      account_id: 'acc_1',
      project_id: null,
      actor: null,
      type: 'api-key.created',
      data: '{"key":"live_Ab*********"}',
      sealed_data: sealed && secrets.encrypt(JSON.stringify(sealed), eventContext('evt_1')),
      created_at: NOW - 5_000,
    },
    webhook: {
      id: 'whk_1',
      url: 'https://receiver.example/hook',
      http_method: 'POST',
      custom_headers: encryptHeaders(secrets, 'whk_1', headers),
      secret: encryptSecret(secrets, 'whk_1', secret),
      previous_secret: encryptSecret(secrets, 'whk_1', previous),
      previous_secret_until: NOW + 1,
      ...webhook,
    },
  }) as unknown as Job;

const request = (job: Job, now = NOW) => requestFor(job, secrets, 'Keyward/1', now);

describe('a request', () => {
  it('carries the key value while it is stored, and the mask after that', () => {
    const whole = request(jobWith({}, { key: 'live_AbCdEfGh' }));
    expect(JSON.parse(whole.body as string)).toEqual({
      id: 'evt_1',
      type: 'api-key.created',
      timestamp: '2029-12-31T23:59:55.000Z',
      accountId: 'acc_1',
      projectId: null,
      data: { key: 'live_AbCdEfGh' },
    });
    const masked = request(jobWith({}));
    expect(JSON.parse(masked.body as string).data).toEqual({ key: 'live_Ab*********' });
    expect(masked.headers['webhook-id']).toBe(whole.headers['webhook-id']);
  });

  it('has the mask if its delivery does not carry the value, even while the value is stored', () => {
    const { body, redact } = request(jobWith({}, { key: 'live_AbCdEfGh' }, {}, false));
    expect(JSON.parse(body as string).data).toEqual({ key: 'live_Ab*********' });
    expect(body).not.toContain('live_AbCdEfGh');
    expect(redact).not.toContain('live_Ab*********');
  });

  it('is signed with both secrets until the older one expires', () => {
    const { body, headers } = request(jobWith({}));
    const message = { id: 'evt_1', timestampMs: NOW, body };
    expect(headers).toMatchObject(signatureHeaders({ ...message, secrets: [secret, previous] }));
    const later = request(jobWith({}), NOW + 1);
    expect(later.headers['webhook-signature']).not.toContain(' ');
  });

  it('never lets a custom header replace one of ours, in upper or lower case', () => {
    const { headers } = request(
      jobWith({ 'Webhook-Id': 'forged', 'CONTENT-TYPE': 'text/plain', 'X-Own': 'kept' }),
    );
    expect(headers).toMatchObject({
      'webhook-id': 'evt_1',
      'content-type': 'application/json',
      'x-own': 'kept',
    });
    expect(Object.values(headers)).not.toContain('forged');
  });

  it('lists the secrets to remove from the response', () => {
    const { redact } = request(
      jobWith({ authorization: 'Bearer token-of-theirs' }, { key: 'live_AbCdEfGh' }),
    );
    expect(redact).toEqual(
      expect.arrayContaining([secret, previous, 'token-of-theirs', 'live_AbCdEfGh']),
    );
  });
});
