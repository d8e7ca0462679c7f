import { fileURLToPath } from 'node:url';
import { type Contender, type Course, onNode, sameSize, startContender } from './contender.ts';

const PEER = fileURLToPath(new URL('../peers/fastify-map.ts', import.meta.url));

/** A Fastify route that looks the key up in a Map and answers the same bytes. */
export async function fastify(course: Course): Promise<Contender> {
  const contender = await startContender({
    name: 'Fastify with a Map',
    ...onNode(PEER, (port) => [String(port), course.keysFile, course.answersFile]),
    keysFile: course.keysFile,
    firstKey: () => course.keys[0]!,
  });
  sameSize(contender.name, contender.first, course.answers[0]);
  return contender;
}
