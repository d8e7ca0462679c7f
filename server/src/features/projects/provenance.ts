import type { Actor } from '../../kernel/actor.ts';
import { isoTime } from '../../kernel/time/clock.ts';

type ActorType = 'USER' | 'ACCESS_KEY';

const actorType = (actor: Actor): ActorType =>
  actor.principal.kind === 'access-key' ? 'ACCESS_KEY' : 'USER';

const CREATED_IN = {
  operator: 'cli',
  user: 'dashboard',
  'access-key': 'api',
  portal: 'portal',
} as const;

export const createdBy = (actor: Actor, now: number) => ({
  created_by: actor.principal.id,
  created_by_type: actorType(actor),
  created_in: CREATED_IN[actor.principal.kind],
  created_at: now,
  ...changedBy(actor, now),
});

export const changedBy = (actor: Actor, now: number) => ({
  last_changed_by: actor.principal.id,
  last_changed_by_type: actorType(actor),
  updated_at: now,
});

interface ProvenanceRow {
  is_active: 0 | 1;
  created_by: string;
  created_by_type: string;
  created_in: string;
  last_changed_by: string;
  last_changed_by_type: string;
  created_at: number;
  updated_at: number;
}

export const provenance = (row: ProvenanceRow) => ({
  isActive: row.is_active === 1,
  createdBy: row.created_by,
  createdByType: row.created_by_type as ActorType,
  createdIn: row.created_in,
  lastChangedBy: row.last_changed_by,
  lastChangedByType: row.last_changed_by_type as ActorType,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});
