import fc from 'fast-check';
import Type from 'typebox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestApp } from '../../test/harness/test-app.ts';
import { createIds } from '../kernel/ids.ts';
import { generateValue } from '../kernel/secrets/key-values.ts';
import { loggedUrl } from './logged-url.ts';

const query = Type.Object({ limit: Type.Integer(), key: Type.String(), projectId: Type.String() });
const ROTATE = { path: '/api-keys/:key/rotate', query };

/** Any possible key value. Imported values have at least eight of these characters. */
const value = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9._~-]{8,64}$/),
  fc.stringMatching(/^[0-9]{8,20}$/),
  fc.stringMatching(/^[A-Za-z]{8,40}$/),
  fc.constantFrom('live_', 'account_access_' as const).map((prefix) => generateValue(prefix)),
);
const secret = value.filter((text) => !'/api-keys/:key/rotate?projectId='.includes(text));

describe('a URL in the log', () => {
  it('contains no key value, in whatever part of the URL it was', () => {
    fc.assert(
      fc.property(secret, (text) => {
        for (const values of [{ key: text }, { limit: text }, { [text]: '1' }, { key: [text] }])
          expect(loggedUrl(ROTATE, values, values)).toBe('/api-keys/:key/rotate');
      }),
      { numRuns: 500 },
    );
  });

  it('contains no key value of a real request, whether its route exists or not', async () => {
    const test = await startTestApp();
    onTestFinished(() => test.close());
    const text = generateValue('live_');
    const ended = () => test.log.filter((line) => line.includes('"msg":"request"')).length;
    const paths = [
      `/api-keys/auth/${text}`,
      `/api-keys/${text}/rotate`,
      `/${text}`,
      `/api-keys?key=${text}`,
      `/api-keys?limit=${text}`,
      `/api-keys?${text}=1`,
      `/api-keys?a?key=${text}`,
      `/api-keys/auth/x;${text}`,
      `/dashboard/${text}`,
      `/portal/${text}/`,
    ];
    for (const path of paths) await fetch(test.url + path, { method: 'GET' });
    await expect.poll(ended).toBe(paths.length);
    expect(test.log.join('')).not.toContain(text);
  });

  it('still shows which resource was requested', () => {
    const ids = createIds();
    const [key, project] = [ids('key'), ids('prj')];
    expect(loggedUrl(ROTATE, { key }, {})).toBe(`/api-keys/${key}/rotate`);
    expect(loggedUrl({ path: '/api-keys', query }, {}, { limit: 1, projectId: project })).toBe(
      `/api-keys?projectId=${project}`,
    );
    expect(loggedUrl({ path: '/api-keys' }, {}, { projectId: project })).toBe('/api-keys');
  });
});
