import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import { personOf } from '../../person.ts';
import type { OwnSessions } from '../own-sessions.ts';
import { Session } from '../schema.ts';

export const listSessions = (sessions: OwnSessions) =>
  defineRoute({
    method: 'GET',
    path: '/auth/sessions',
    operationId: 'listSessions',
    tag: 'people',
    summary: 'Where you are signed in, newest first',
    access: 'person',
    reply: Type.Array(Session),
    status: 200,
    handle: ({ actor }) => sessions.list(personOf(actor)),
  });
