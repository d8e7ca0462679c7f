import Type from 'typebox';
import { defineRoute } from '../../../kernel/route.ts';
import { TOPICS } from '../../changes/index.ts';
import { TopicName } from '../schema.ts';

export const listTopics = () =>
  defineRoute({
    method: 'GET',
    path: '/webhooks/topics',
    operationId: 'listWebhookTopics',
    tag: 'auth_api_v1',
    summary: 'List the topics that a webhook can subscribe to',
    access: 'webhooks:read',
    reply: Type.Array(TopicName),
    status: 200,
    handle: async () => TOPICS,
  });
