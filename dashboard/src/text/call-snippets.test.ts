import { expect, it } from 'vitest';
import { createSnippets, validateSnippets } from './call-snippets.ts';

const call = { origin: 'https://keys.example', accessKey: 'live_access_1' };

it('shows the same request in four languages', () => {
  for (const [snippets, path] of [
    [validateSnippets(call, 'live_2'), '/api-keys/auth'],
    [createSnippets(call, { projectId: 'prj_1', name: 'First' }), '/api-keys'],
  ] as const) {
    for (const code of Object.values(snippets)) {
      expect(code).toContain(call.accessKey);
      expect(code).toContain(call.origin);
    }
    for (const language of ['curl', 'python', 'go'] as const)
      expect(snippets[language]).toContain(`${call.origin}${path}`);
  }
  expect(
    Object.values(validateSnippets(call, 'live_2'))
      .join()
      .match(/live_2/g),
  ).toHaveLength(4);
});
