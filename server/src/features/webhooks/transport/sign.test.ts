import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newSecret, signatureHeaders } from './sign.ts';

const ID = 'evt_1';
const BODY = '{"type":"api-key.created","data":{"name":"Zoë 🔑"}}';

/** The verifier has no clock to pass in, so messages are signed with the real time. */
function sign(options: { secrets: string[]; body?: string | Uint8Array; timestampMs?: number }) {
  const { secrets, body = BODY, timestampMs = Date.now() } = options;
  return { ...signatureHeaders({ id: ID, timestampMs, body, secrets }) };
}

describe('a signed message, read by the reference verifier', () => {
  const secret = newSecret();
  const verifier = new Webhook(secret);

  it('is accepted with any text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const body = JSON.stringify(value);
        expect(verifier.verify(body, sign({ secrets: [secret], body }))).toEqual(JSON.parse(body));
      }),
    );
  });

  it('has the same signature if its body is given as bytes', () => {
    const timestampMs = Date.now();
    const asBytes = sign({ secrets: [secret], body: Buffer.from(BODY), timestampMs });
    expect(asBytes).toEqual(sign({ secrets: [secret], timestampMs }));
  });

  it('is rejected with a changed body, another id or the wrong secret', () => {
    const headers = sign({ secrets: [secret] });
    expect(() => verifier.verify(`${BODY} `, headers)).toThrow('No matching signature');
    expect(() => verifier.verify(BODY, { ...headers, 'webhook-id': 'evt_2' })).toThrow(
      'No matching',
    );
    expect(() => new Webhook(newSecret()).verify(BODY, headers)).toThrow('No matching signature');
  });

  it('is rejected when its time is old, or was changed', () => {
    const headers = sign({ secrets: [secret], timestampMs: Date.now() - 6 * 60_000 });
    expect(() => verifier.verify(BODY, headers)).toThrow('too old');
    const fresh = { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };
    expect(() => verifier.verify(BODY, fresh)).toThrow('No matching signature');
  });

  it('verifies with either secret during a rotation, and with no other', () => {
    const next = newSecret();
    const headers = sign({ secrets: [next, secret] });
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    expect(() => verifier.verify(BODY, headers)).not.toThrow();
    expect(() => new Webhook(next).verify(BODY, headers)).not.toThrow();
    expect(() => new Webhook(newSecret()).verify(BODY, headers)).toThrow('No matching signature');
  });

  it('does not show the secret in its headers', () => {
    expect(JSON.stringify(sign({ secrets: [secret] }))).not.toContain(secret.slice(6));
  });
});

it('signs with the time in whole seconds', () => {
  const headers = sign({ secrets: [newSecret()], timestampMs: 1_800_000_000_999 });
  expect(headers['webhook-timestamp']).toBe('1800000000');
});

it('makes secrets of 24 random bytes that differ', () => {
  const secrets = Array.from({ length: 100 }, newSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
});

it.each(['', 'whsec_', 'whsec_c2hvcnQ=', Buffer.alloc(24).toString('base64')])(
  'refuses to sign with the invalid secret %j',
  (secret) => {
    expect(() => sign({ secrets: [secret] })).toThrow('must start with whsec_');
  },
);
