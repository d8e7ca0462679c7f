import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Contender, type Course, onNode, sameSize, startContender } from './contender.ts';

const PEER = fileURLToPath(new URL('../peers/better-auth.ts', import.meta.url));

/** better-auth's API key plugin on SQLite; its own keys, made by itself. */
export async function betterAuth(course: Course): Promise<Contender> {
  const keysFile = join(course.folder, 'better-auth-keys.txt');
  const contender = await startContender({
    name: 'better-auth verifyApiKey',
    ...onNode(PEER, (port) => [
      String(port),
      course.folder,
      keysFile,
      String(course.peerKeys),
      course.answersFile,
    ]),
    keysFile,
    // Written before it listens.
    firstKey: () => readFileSync(keysFile, 'utf8').split('\n', 1)[0]!,
  });
  sameSize(contender.name, contender.first, course.answers[0]);
  return contender;
}
