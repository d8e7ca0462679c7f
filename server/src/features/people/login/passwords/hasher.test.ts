// 5 s of CPU: hashing passwords is slow on purpose.
import { describe, expect, it } from 'vitest';
import { PasswordHasher } from './hasher.ts';

describe('a password', () => {
  it('matches its own hash, and no other password does', async () => {
    const hasher = new PasswordHasher();
    const stored = await hasher.hash('a long way from home');
    expect(await hasher.verify(stored, 'a long way from home')).toBe(true);
    expect(await hasher.verify(stored, 'a long way from homE')).toBe(false);
    expect(await hasher.hash('a long way from home')).not.toBe(stored);
  });

  it('is the same in composed and decomposed Unicode', async () => {
    const hasher = new PasswordHasher();
    const stored = await hasher.hash('crème brûlée at noon'.normalize('NFC'));
    expect(await hasher.verify(stored, 'crème brûlée at noon'.normalize('NFD'))).toBe(true);
  });

  it.each(['', 'x', '$argon2id$v=19$m=1,t=1$a$b', '$2b$10$abcdefghijklmnopqrstuv'])(
    'does not match the invalid hash %j',
    async (stored) => {
      expect(await new PasswordHasher().verify(stored, 'a long way from home')).toBe(false);
    },
  );

  it('that cannot be hashed does not affect the next one', async () => {
    const hasher = new PasswordHasher();
    const tooLittle = '$argon2id$v=19$m=1,t=1,p=9$c29tZXNhbHRzb21lc2FsdA$AAAA';
    const failing = hasher.verify(tooLittle, 'a long way from home');
    const next = hasher.hash('a long way from home');
    await expect(failing).rejects.toThrow('Hashing a password failed');
    await expect(next).resolves.toMatch(/^\$argon2id/);
  });

  it('does not block the event loop while it is hashed', async () => {
    const hasher = new PasswordHasher();
    let turns = 0;
    let done = false;
    const hashes = Promise.all(Array.from({ length: 3 }, () => hasher.hash('one'))).then(() => {
      done = true;
    });
    while (!done) {
      turns++;
      await new Promise(setImmediate);
    }
    await hashes;
    expect(turns).toBeGreaterThan(10);
  });

  it('is rejected while too many are queued, and accepted when they are done', async () => {
    const hasher = new PasswordHasher(2);
    const waiting = [hasher.hash('one'), hasher.hash('two')];
    await expect(hasher.hash('three')).rejects.toMatchObject({ code: 'overloaded' });
    await Promise.all(waiting);
    await expect(hasher.hash('three')).resolves.toMatch(/^\$argon2id/);
  });
});
