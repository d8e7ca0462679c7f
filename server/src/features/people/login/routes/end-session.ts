import { defineRoute } from '../../../../kernel/route.ts';
import { Deleted } from '../../../../kernel/schemas.ts';
import type { OwnSessions } from '../own-sessions.ts';
import { SessionParams } from '../schema.ts';

export const endSession = (sessions: OwnSessions) =>
  defineRoute({
    method: 'DELETE',
    path: '/auth/sessions/:id',
    operationId: 'endSession',
    tag: 'people',
    summary: 'Sign out somewhere else',
    access: 'person',
    params: SessionParams,
    reply: Deleted,
    status: 200,
    errors: ['session_not_found'],
    async handle({ actor, params }) {
      await sessions.end(actor, params.id);
      return true;
    },
  });
