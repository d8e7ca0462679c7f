import { AREAS } from '@keyward/rules/areas.ts';
import { DESCRIPTIONS, type DescribedArea } from '@keyward/rules/resources/index.ts';
import { TOPICS } from '@keyward/rules/topics.ts';
import type { Kysely, Selectable, Updateable } from 'kysely';
import type { Static } from 'typebox';
import type { Actor } from '../../kernel/actor.ts';
import { type Principal, requireScope, type Scope, tenantOf } from '../../kernel/authority.ts';
import { KeywardError, notFoundCode } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { listing } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import { isoTime } from '../../kernel/time/clock.ts';
import {
  type Database,
  forUpdate,
  type ProjectColumns,
  type Storage,
} from '../../storage/index.ts';
import type { ChangeRunner, Idempotency, Unit } from '../changes/index.ts';
import { columnsOf, differences } from '../fields/index.ts';
import { requireUnits } from '../policies/index.ts';
import { chooseProject, type ProjectCache } from '../projects/index.ts';
import type { resourceSchemas } from './schemas.ts';

type FieldsOf<Area extends DescribedArea> = (typeof DESCRIPTIONS)[Area];

/** The columns of a table besides the fields of its resource. */
type IdentityColumns = Selectable<ProjectColumns>;

/** The columns from which the record of a resource is made. */
type ColumnsFor<Area extends DescribedArea> = IdentityColumns &
  Parameters<ReturnType<typeof columnsOf<FieldsOf<Area>>>['read']>[0];

/** The areas whose table, of the same name, has a column for each field. */
export type RecordArea = {
  [Area in DescribedArea]: Area extends keyof Database
    ? Selectable<Database[Area]> extends ColumnsFor<Area>
      ? Area
      : never
    : never;
}[DescribedArea];

type Row<Area extends RecordArea> = Selectable<Database[Area]>;
type Schemas<Area extends RecordArea> = ReturnType<typeof resourceSchemas<Area>>;
type RecordOf<Area extends RecordArea> = Static<Schemas<Area>['record']>;
type Create<Area extends RecordArea> = Static<Schemas<Area>['create']>;
type Update<Area extends RecordArea> = Static<Schemas<Area>['update']>;

export interface RecordParts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly ids: MakeId;
  readonly projects: ProjectCache;
}

/** What a resource does besides. */
export interface Behaviour<Area extends RecordArea> {
  /** Columns that no field sets. `before` null: of a new row. */
  columns?(before: Row<Area> | null): Partial<Updateable<Database[Area]>>;
  /** Scopes that the caller needs besides `write`. */
  scopesFor?(input: Create<Area> | Update<Area>, isNew: boolean): readonly Scope[];
  /** Throws if the resource cannot be deleted. Its row is locked. */
  checkDelete?(unit: Unit, row: Row<Area>): Promise<void>;
  /** Called within every update, for example to invalidate cache entries. */
  updated?(unit: Unit, after: Row<Area>): void;
}

/** The tables of all resources have the columns that are used here, so one stands for them. */
type AnyRow = Selectable<Database['plans']>;
type AnyInput = { readonly projectId?: string };

/**
 * Creates, reads, changes and deletes the resources of an area, which belong to projects. Each change writes its audit
 * row, and an event if there is a topic for it.
 */
export class ProjectRecords<Area extends RecordArea> {
  readonly #area: Area;
  readonly #parts: RecordParts;
  readonly #behaviour: Behaviour<Area>;
  readonly #columns;
  readonly #notFound;
  readonly #id;

  constructor(area: Area, parts: RecordParts, behaviour: Behaviour<Area> = {}) {
    const { resource, id } = AREAS[area];
    this.#area = area;
    this.#parts = parts;
    this.#behaviour = behaviour;
    this.#columns = columnsOf(DESCRIPTIONS[area] as (typeof DESCRIPTIONS)['plans']);
    this.#notFound = notFoundCode(resource);
    this.#id = id;
  }

  async create(
    actor: Actor,
    input: Create<Area>,
    idempotency?: Idempotency,
  ): Promise<RecordOf<Area>> {
    const { projects, changes, ids } = this.#parts;
    const { principal } = actor;
    const { projectId } = input as AnyInput;
    const scopes = [this.#scope('write'), ...(this.#behaviour.scopesFor?.(input, true) ?? [])];
    const project = await chooseProject(projects, principal, projectId, (resource) => {
      for (const scope of scopes) requireScope(principal, scope, resource, 'project_not_found');
    });
    const columns = this.#columns.toInsert(input as never);
    return changes.run(
      actor,
      async (unit) => {
        const row = {
          id: ids(this.#id),
          account_id: project.account_id,
          project_id: project.id,
          ...columns,
          ...this.#behaviour.columns?.(null),
          created_at: unit.now,
          updated_at: unit.now,
        } as unknown as Row<Area>;
        await requireUnits(unit.tx, project.id, columns.limits);
        await unit.tx
          .insertInto(this.#table)
          .values(row as never)
          .execute();
        return this.#recordChange(unit, null, row);
      },
      idempotency,
    );
  }

  async get(principal: Principal, id: string): Promise<RecordOf<Area>> {
    return this.#record(await this.find(this.#parts.storage.point, principal, 'read', id));
  }

  /** Newest first. */
  list(
    principal: Principal,
    filter: Static<Schemas<Area>['list']>,
  ): Promise<Listing<RecordOf<Area>>> {
    const { projectId, ...page } = filter;
    const rows = this.#rows(this.#parts.storage.read, principal);
    const ofProject = projectId === undefined ? rows : rows.where('project_id', '=', projectId);
    return listing(
      page,
      this.#id,
      ({ after, offset, size }) => {
        const query = after === null ? ofProject : ofProject.where('id', '<', after);
        return query.orderBy('id', 'desc').limit(size).offset(offset).execute();
      },
      (row) => this.#record(row as unknown as Row<Area>),
    );
  }

  async update(actor: Actor, id: string, input: Update<Area>): Promise<RecordOf<Area>> {
    const { storage, changes } = this.#parts;
    const { principal } = actor;
    const found = await this.find(storage.point, principal, 'write', id);
    for (const scope of this.#behaviour.scopesFor?.(input, false) ?? [])
      this.#require(principal, scope, found);
    const wanted = this.#columns.toUpdate(input as never);
    return changes.run(actor, async (unit) => {
      const before = await this.find(unit.tx, principal, 'write', id);
      const changed = differences(before as unknown as AnyRow, wanted);
      if (changed === null) return this.#record(before);
      const { project_id } = before as unknown as IdentityColumns;
      await requireUnits(unit.tx, project_id, changed.limits);
      const set = { ...changed, ...this.#behaviour.columns?.(before), updated_at: unit.now };
      await unit.tx.updateTable(this.#table).set(set).where('id', '=', id).execute();
      const after = { ...before, ...set } as Row<Area>;
      this.#behaviour.updated?.(unit, after);
      return this.#recordChange(unit, before, after);
    });
  }

  async delete(actor: Actor, id: string): Promise<void> {
    const { storage, changes } = this.#parts;
    await this.find(storage.point, actor.principal, 'write', id);
    await changes.run(actor, async (unit) => {
      const row = await this.find(unit.tx, actor.principal, 'write', id);
      await this.#behaviour.checkDelete?.(unit, row);
      await unit.tx.deleteFrom(this.#table).where('id', '=', id).execute();
      this.#recordChange(unit, row, null);
    });
  }

  /** The row, locked if `db` is a transaction. */
  async find(
    db: Kysely<Database>,
    principal: Principal,
    verb: 'read' | 'write',
    id: string,
  ): Promise<Row<Area>> {
    const query = this.#rows(db, principal).where('id', '=', id);
    const row = await forUpdate(db, query, this.#table).executeTakeFirst();
    if (!row) throw new KeywardError(this.#notFound);
    this.#require(principal, this.#scope(verb), row as unknown as Row<Area>);
    return row as unknown as Row<Area>;
  }

  get #table() {
    return this.#area as unknown as 'plans';
  }

  #scope(verb: 'read' | 'write'): Scope {
    return `${this.#area}:${verb}`;
  }

  #require(principal: Principal, scope: Scope, row: Row<Area>): void {
    const { account_id: accountId, project_id: projectId } = row as unknown as IdentityColumns;
    requireScope(principal, scope, { accountId, projectId }, this.#notFound);
  }

  #rows(db: Kysely<Database>, principal: Principal) {
    const { accountId, projectIds } = tenantOf(principal);
    const query = db.selectFrom(this.#table).selectAll().where('account_id', '=', accountId);
    return projectIds === null ? query : query.where('project_id', 'in', projectIds);
  }

  #record(given: Row<Area>): RecordOf<Area> {
    const row = given as unknown as AnyRow;
    return {
      id: row.id,
      projectId: row.project_id,
      ...this.#columns.read(row),
      createdAt: isoTime(row.created_at),
      updatedAt: isoTime(row.updated_at),
    } as unknown as RecordOf<Area>;
  }

  /** Adds the audit row, and the event if there is a topic. Returns the new record, or that of a deleted row. */
  #recordChange(unit: Unit, before: Row<Area> | null, after: Row<Area> | null): RecordOf<Area> {
    const verb = before === null ? 'created' : after === null ? 'deleted' : 'updated';
    const { resource } = AREAS[this.#area];
    const action = `${resource}.${verb}` as const;
    const row = (after ?? before) as unknown as IdentityColumns;
    const { id, account_id: accountId, project_id: projectId } = row;
    const record = this.#record((after ?? before)!);
    unit.audit({
      action,
      accountId,
      projectId,
      targetType: resource,
      targetId: id,
      before: before && this.#record(before),
      after: after && record,
    });
    const topic = TOPICS.find((each) => each === action);
    if (topic) unit.emit({ type: topic, accountId, projectId, data: record });
    return record;
  }
}
