import { describe, expect, it } from 'vitest';
import { requirePassword } from './rules.ts';

const about = ['Ada Lovelace', 'ada@example.com'];

describe('a password', () => {
  it.each([
    'correct horse battery staple',
    'zK4-wq9_Rt2.xV7',
    'ich mag keine Rosinen',
    'ßßß quiet river stone',
  ])('%j is good', (password) => expect(() => requirePassword(password, about)).not.toThrow());

  it.each([
    'eleven char',
    'aaaaaaaaaaaaaaaa',
    'abababababababab',
    '123456789012',
    '987654321098',
    'abcdefghijklm',
    'password1234',
    'P@ssw0rd2024',
    'passwordpassword',
    'qwertyuiop123',
    'Welcome12345!',
    'letmein-letmein',
    'adalovelace1!',
    'ada@example.com',
    'x'.repeat(257),
  ])('%j is weak', (password) => {
    expect(() => requirePassword(password, about)).toThrow(
      expect.objectContaining({ code: 'password_weak' }),
    );
  });
});
