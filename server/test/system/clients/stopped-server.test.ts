import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  expectOneWait,
  measureStop,
  startStoppableServer,
} from '../faults/local/stopped-server.ts';
import { LANGUAGES, type Language } from './client-driver.ts';

it.each(Object.keys(LANGUAGES) as Language[])(
  'the client for %s: an application waits for one timeout, and its calls return at once after that',
  async (language) => {
    const server = await startStoppableServer();
    const folder = mkdtempSync(join(tmpdir(), 'keyward-stopped-'));
    const driver = await LANGUAGES[language](folder);
    onTestFinished(async () => {
      await driver.close();
      rmSync(folder, { recursive: true });
    });
    await driver.call('connect', { url: server.url, accessKey: server.accessKey });
    const ask = () =>
      driver.call<{ valid: boolean }>('validate', { key: server.key }).then(
        ({ valid }) => valid,
        (error) => {
          expect(error).toMatchObject({ isUnavailable: true });
          return null;
        },
      );
    expectOneWait(await measureStop(server, language, ask), 1_000);
  },
);
