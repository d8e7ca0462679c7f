import type { Actor } from '../../kernel/actor.ts';
import type { Role } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import type { Call, Written } from '../../kernel/route.ts';
import type { Storage } from '../../storage/index.ts';
import type { Unit } from '../changes/index.ts';
import { readEmail } from './email.ts';
import type { PasswordHasher } from './login/password-hash.ts';
import { demandPassword } from './login/password-rules.ts';
import type { Sessions } from './login/sessions.ts';
import { SIGNED_IN, type SignIn } from './login/sign-in.ts';
import { findMembership, insertMembership } from './memberships/store.ts';
import { insertPerson, type NewPerson, takenAsConflict } from './new-person.ts';

/** What a new person says of themself; whoever is signed in says nothing. */
export interface Introduction {
  readonly name?: string;
  readonly email?: string;
  readonly password?: string;
}

/** Where and as what somebody joins. */
export interface Place {
  readonly accountId: string;
  readonly role: Role;
  readonly projectIds: readonly string[] | null;
}

/** Who joins: somebody known, or somebody who has just introduced themself. */
interface Joiner {
  readonly userId: string;
  readonly person: NewPerson | null;
  readonly password: string;
}

/** How a person comes into an account, by a link of the setup or of an invitation. */
export class Joining {
  readonly #storage: Storage;
  readonly #ids: MakeId;
  readonly #hasher: PasswordHasher;
  readonly #sessions: Sessions;
  readonly #signIn: SignIn;

  constructor(parts: {
    storage: Storage;
    ids: MakeId;
    hasher: PasswordHasher;
    sessions: Sessions;
    signIn: SignIn;
  }) {
    this.#storage = parts.storage;
    this.#ids = parts.ids;
    this.#hasher = parts.hasher;
    this.#sessions = parts.sessions;
    this.#signIn = parts.signIn;
  }

  /**
   * `change` runs `join` in its transaction, beside whatever uses the link up. Who is new is signed
   * in with the answer.
   */
  async run(
    call: Pick<Call, 'headers' | 'actor'>,
    introduction: Introduction,
    emailVerified: boolean,
    now: number,
    change: (actor: Actor, join: (unit: Unit, place: Place) => Promise<void>) => Promise<void>,
  ): Promise<Written | typeof SIGNED_IN> {
    const known = await this.#sessions.signedIn(call.headers, now);
    const joiner: Joiner =
      known === null
        ? await this.#introduced(introduction, emailVerified)
        : { userId: known.userId, person: null, password: '' };
    const principal = this.#sessions.personal({ userId: joiner.userId, sessionId: '' });
    const join = (unit: Unit, place: Place) => joinIn(unit, joiner, place);
    await takenAsConflict(change({ ...call.actor, principal }, join));
    if (joiner.person === null) return SIGNED_IN;
    return this.#signIn.afterJoining(call, joiner.person.email, joiner.password);
  }

  async #introduced(introduction: Introduction, emailVerified: boolean): Promise<Joiner> {
    const { name, password } = introduction;
    for (const field of ['name', 'email', 'password'] as const)
      if (introduction[field] === undefined)
        throw new KeywardError('invalid_body', `${field} is missing, and nobody is signed in.`);
    const email = readEmail(introduction.email!, 'email');
    demandPassword(password!, [name!, email]);
    const taken = await this.#storage.point
      .selectFrom('users')
      .select('id')
      .where('email', '=', email)
      .executeTakeFirst();
    if (taken) throw new KeywardError('person_exists');
    const passwordHash = await this.#hasher.hash(password!);
    const id = this.#ids('usr');
    const person = { id, name: name!.trim(), email, passwordHash, emailVerified };
    return { userId: id, person, password: password! };
  }
}

async function joinIn(unit: Unit, { userId, person }: Joiner, place: Place): Promise<void> {
  const { accountId, role, projectIds } = place;
  if (person !== null) await insertPerson(unit.tx, person, unit.now);
  else if (await findMembership(unit.tx, accountId, userId))
    throw new KeywardError('already_member');
  await insertMembership(unit.tx, { userId, ...place }, unit.now);
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
