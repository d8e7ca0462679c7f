import { randomUUID } from 'node:crypto';
import { KeywardError } from '../../kernel/errors.ts';
import { isUniqueViolation, type Tx } from '../../storage/index.ts';

/** A person who is about to be, with everything checked. */
export interface NewPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string;
  /** Known only of addresses that a link was sent to. */
  readonly emailVerified: boolean;
}

/** The rows that better-auth finds somebody by who signs in with a password. */
export async function insertPerson(tx: Tx, person: NewPerson, now: number): Promise<void> {
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

/** Of two who come with one address, the second is told to sign in. */
export async function takenAsConflict<T>(joining: Promise<T>): Promise<T> {
  try {
    return await joining;
  } catch (error) {
    if (isUniqueViolation(error))
      throw new KeywardError('person_exists', undefined, { cause: error });
    throw error;
  }
}
