import { defineRoute } from '../../../../kernel/route.ts';
import { Deleted } from '../../../../kernel/schemas.ts';
import { personOf } from '../../person.ts';
import type { OwnSessions } from '../own-sessions.ts';

export const endOtherSessions = (sessions: OwnSessions) =>
  defineRoute({
    method: 'DELETE',
    path: '/auth/sessions',
    operationId: 'endOtherSessions',
    tag: 'people',
    summary: 'Sign out everywhere else',
    access: 'person',
    reply: Deleted,
    status: 200,
    async handle({ actor, headers }) {
      await sessions.endOthers(actor, personOf(actor), headers);
      return true;
    },
  });
