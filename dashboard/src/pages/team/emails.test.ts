import { expect, it } from 'vitest';
import { readEmails } from './emails.ts';

it.each([
  ['ada@example.com', ['ada@example.com'], []],
  ['a@x.io, b@x.io\nc@x.io; d@x.io', ['a@x.io', 'b@x.io', 'c@x.io', 'd@x.io'], []],
  ['Ada Lovelace <ada@example.com>, Grace <g@x.io>', ['ada@example.com', 'g@x.io'], []],
  ['ADA@example.com ada@example.com', ['ada@example.com'], []],
  ['ada@, nobody', [], ['ada@', 'nobody']],
  ['', [], []],
])('parses %j', (text, emails, wrong) => {
  expect(readEmails(text)).toEqual({ emails, wrong });
});
