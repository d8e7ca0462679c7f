import { CLOUD_EVENT_PREFIX } from '@keyward/rules/topics.ts';
import { type Envelope, resourceOf } from './envelope.ts';

/** An event as CloudEvents 1.0. Names of extension attributes have only lower-case letters and digits. */
export const cloudEvent = (event: Envelope) => ({
  specversion: '1.0',
  id: event.id,
  // Events of all projects are unique by their id; the source says where they belong.
  source:
    event.projectId === null
      ? `/accounts/${event.accountId}`
      : `/accounts/${event.accountId}/projects/${event.projectId}`,
  type: CLOUD_EVENT_PREFIX + event.type,
  subject: resourceOf(event.data).id,
  time: event.timestamp,
  datacontenttype: 'application/json',
  accountid: event.accountId,
  ...(event.projectId !== null && { projectid: event.projectId }),
  ...(event.actor && {
    actortype: event.actor.type,
    actorcustomer: event.actor.customAccountId,
  }),
  data: event.data,
});
