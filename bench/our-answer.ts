import { ACCESS_KEY, type RunningServer } from './keyward-server.ts';
import { type RawAnswer, rawPost } from './raw-answer.ts';

/** Asked twice: what memory holds is answered in another way than what it does not, or not yet. */
export async function answerTo({ port }: RunningServer, key: string): Promise<RawAnswer> {
  await rawPost(port, `/api-keys/auth/${key}`, ACCESS_KEY);
  return rawPost(port, `/api-keys/auth/${key}`, ACCESS_KEY);
}
