import { randomUUID } from 'node:crypto';
import type { Actor } from '../../kernel/actor.ts';
import type { Role } from '../../kernel/authority.ts';
import { readEmail } from '../../kernel/email.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import type { RawResponse } from '../../kernel/route.ts';
import { isUniqueViolation, type Storage, type Tx } from '../../storage/index.ts';
import type { Unit } from '../changes/index.ts';
import type { LoginCall } from './login/better-auth/calls.ts';
import type { PasswordHasher } from './login/passwords/hasher.ts';
import { requirePassword } from './login/passwords/rules.ts';
import type { Sessions } from './login/sessions/sessions.ts';
import { SIGNED_IN, type SignInService } from './login/sign-in/service.ts';
import { findMembership, insertMembership } from './memberships/store.ts';

/** The details of a new person; ignored for a person who is signed in. */
export interface PersonDetails {
  readonly name?: string;
  readonly email?: string;
  readonly password?: string;
}

/** The account and role that a person joins with. */
export interface RoleGrant {
  readonly accountId: string;
  readonly role: Role;
  readonly projectIds: readonly string[] | null;
}

/** A new person, with everything checked. */
interface NewPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string;
  /** True if the link was sent to this address. */
  readonly emailVerified: boolean;
}

/** The person who joins: an existing one, or a new one. */
interface Joiner {
  readonly userId: string;
  readonly person: NewPerson | null;
  readonly password: string;
}

interface Parts {
  readonly storage: Storage;
  readonly ids: MakeId;
  readonly hasher: PasswordHasher;
  readonly sessions: Sessions;
  readonly signIn: SignInService;
}

/** Adds a person to an account, by a setup link or an invitation. */
export class Joining {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * `change` uses up the link and runs `join` in the same transaction. A new person is signed in with
   * the response.
   */
  async run(
    call: LoginCall,
    details: PersonDetails,
    emailVerified: boolean,
    now: number,
    change: (actor: Actor, join: (unit: Unit, grant: RoleGrant) => Promise<void>) => Promise<void>,
  ): Promise<RawResponse | typeof SIGNED_IN> {
    const known = await this.#parts.sessions.signedIn(call.headers, now);
    const joiner: Joiner =
      known === null
        ? await this.#newPerson(details, emailVerified)
        : { userId: known.userId, person: null, password: '' };
    const principal = this.#parts.sessions.personal({ userId: joiner.userId, sessionId: '' });
    const join = (unit: Unit, grant: RoleGrant) => joinIn(unit, joiner, grant);
    await explainConflict(change({ ...call.actor, principal }, join));
    if (joiner.person === null) return SIGNED_IN;
    return this.#parts.signIn.afterJoining(call, joiner.person.email, joiner.password);
  }

  async #newPerson(details: PersonDetails, emailVerified: boolean): Promise<Joiner> {
    const { name, password } = details;
    for (const field of ['name', 'email', 'password'] as const)
      if (details[field] === undefined)
        throw new KeywardError(
          'invalid_body',
          `${field} is required, because you are not signed in.`,
        );
    const email = readEmail(details.email!, 'email');
    requirePassword(password!, [name!, email]);
    const taken = await this.#parts.storage.point
      .selectFrom('users')
      .select('id')
      .where('email', '=', email)
      .executeTakeFirst();
    if (taken) throw new KeywardError('person_exists');
    const passwordHash = await this.#parts.hasher.hash(password!);
    const id = this.#parts.ids('usr');
    const person = { id, name: name!.trim(), email, passwordHash, emailVerified };
    return { userId: id, person, password: password! };
  }
}

async function joinIn(unit: Unit, { userId, person }: Joiner, grant: RoleGrant): Promise<void> {
  const { accountId, role, projectIds } = grant;
  if (person !== null) await insertPerson(unit.tx, person, unit.now);
  else if (await findMembership(unit.tx, accountId, userId))
    throw new KeywardError('already_member');
  await insertMembership(unit.tx, { userId, ...grant }, unit.now);
  unit.audit({
    action: 'user.joined',
    accountId,
    projectId: null,
    targetType: 'user',
    targetId: userId,
    after: {
      id: userId,
      ...(person && { name: person.name, email: person.email }),
      role,
      projectIds,
    },
  });
}

/** The rows that better-auth needs for signing in with a password. */
async function insertPerson(tx: Tx, person: NewPerson, now: number): Promise<void> {
  const times = { created_at: now, updated_at: now };
  await tx
    .insertInto('users')
    .values({
      id: person.id,
      name: person.name,
      email: person.email,
      email_verified: person.emailVerified ? 1 : 0,
      image: null,
      two_factor_enabled: 0,
      ...times,
    })
    .execute();
  await tx
    .insertInto('credentials')
    .values({
      id: randomUUID(),
      user_id: person.id,
      account_id: person.id,
      provider_id: 'credential',
      password: person.passwordHash,
      ...times,
    })
    .execute();
}

/**
 * If two people join with the same address at the same time, the second fails with `person_exists` and must
 * sign in. If a person accepts two invitations to one account at the same time, the second fails with
 * `already_member`.
 */
async function explainConflict<T>(joining: Promise<T>): Promise<T> {
  try {
    return await joining;
  } catch (error) {
    if (isUniqueViolation(error, 'memberships'))
      throw new KeywardError('already_member', undefined, { cause: error });
    if (isUniqueViolation(error))
      throw new KeywardError('person_exists', undefined, { cause: error });
    throw error;
  }
}
