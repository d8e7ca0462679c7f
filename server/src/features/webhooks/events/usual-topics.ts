import { AREAS } from '@keyward/rules/areas.ts';
import type { Topic } from '../../changes/index.ts';
import type { RecordArea } from '../../resources/index.ts';

/** The topics of resources whose record is made from their description alone. */
export type UsualTopic = Extract<
  Topic,
  `${(typeof AREAS)[RecordArea]['resource']}.${'created' | 'updated' | 'deleted'}`
>;

export const areaOf = (topic: UsualTopic): RecordArea =>
  Object.entries(AREAS).find(
    ([, area]) => 'resource' in area && topic.startsWith(`${area.resource}.`),
  )![0] as RecordArea;
