import { setTimeout as wait } from 'node:timers/promises';
import type { ImportAnswer } from '../../../features/api-keys/index.ts';
import type { Api } from '../../api.ts';
import { Refusal } from '../../failure.ts';

/** Together half a minute: a server that restarts is back by then. */
const WAITS_MS = [250, 500, 1000, 2000, 4000, 8000, 8000, 8000];
const PATH = '/api-keys/import';

/** Patient: what was sent twice is there once. */
export async function sendPatiently(api: Api, json: string): Promise<ImportAnswer> {
  for (const waitMs of WAITS_MS)
    try {
      return await sendOnce(api, json);
    } catch (error) {
      if (!mayPass(error)) throw error;
      const asked = error instanceof Refusal ? error.retryAfterSeconds : null;
      await wait(asked === null ? waitMs : asked * 1000);
    }
  return sendOnce(api, json);
}

export const sendOnce = async (api: Api, json: string): Promise<ImportAnswer> =>
  (await api.call('POST', PATH, { json })).body as ImportAnswer;

/** Nobody answers, or somebody who says: not now. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof Refusal) || error.status === 429 || error.status >= 500;
