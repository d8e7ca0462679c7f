import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RawAnswer } from '../raw-answer.ts';
import { type Contender, onNode, sameSize, startContender } from './contender.ts';

const PEER = fileURLToPath(new URL('../peers/bare-http.ts', import.meta.url));

/** A bare `node:http` server that answers these bytes to everything, and looks at nothing. */
export async function bare(
  folder: string,
  kind: string,
  answers: readonly RawAnswer[],
  keysFile: string,
): Promise<Contender> {
  const file = join(folder, `answers-${kind}.json`);
  writeFileSync(file, JSON.stringify(answers));
  const contender = await startContender({
    name: 'bare node:http',
    ...onNode(PEER, (port) => [String(port), file]),
    keysFile,
    firstKey: () => 'any',
    refuses: answers[0]!.status < 400 ? 'none' : 'all',
  });
  sameSize(contender.name, contender.first, answers[0]!);
  return contender;
}
