import { describe, expect, it } from 'vitest';
import { KeywardError, noResponse } from '../../src/http/errors.ts';
import { explain } from '../../src/react/text/explain.ts';
import { createFormat } from '../../src/react/text/format.ts';
import { LOCALES, messagesOf, preferredLocale } from '../../src/react/text/locale.ts';

describe('locale', () => {
  it.each([
    [['de-AT', 'en'], 'de'],
    [['fr', 'de'], 'de'],
    [['fr-FR'], 'en'],
    [[], 'en'],
    [['EN-us', 'de'], 'en'],
  ] as const)('of %j is %s', (languages, expected) => {
    expect(preferredLocale(languages)).toBe(expected);
  });
});

/** The path and text of every message; functions are called with numbers. */
function texts(messages: object, path = ''): [string, string][] {
  return Object.entries(messages).flatMap(([name, value]) => {
    if (typeof value === 'function') return [[`${path}${name}`, value('1', '2')]];
    return typeof value === 'string'
      ? [[`${path}${name}`, value]]
      : texts(value, `${path}${name}.`);
  });
}

describe('catalogues', () => {
  const [english, german] = LOCALES.map((locale) => new Map(texts(messagesOf(locale))));

  it('have the same messages, none of them empty', () => {
    expect([...german!.keys()]).toEqual([...english!.keys()]);
    for (const [name, text] of [...english!, ...german!]) expect(text.trim(), name).not.toBe('');
  });

  it('are translated: only words that are the same in both languages are equal', () => {
    const equal = [...english!].filter(([name, text]) => german!.get(name) === text);
    const names = equal.map(([name]) => name);
    expect(names).toEqual(['keys.limit', 'form.name', 'form.expiryIn', 'rotation.after']);
  });
});

describe('format', () => {
  const english = createFormat('en', messagesOf('en'));
  const german = createFormat('de', messagesOf('de'));

  it.each([
    [1, '1 second', 'Sekunde'],
    [60, '1 minute', 'Minute'],
    [90, '90 seconds', '90 Sekunden'],
    [600, '10 minutes', '10 Minuten'],
    [86_400, '1 day', 'Tag'],
    [604_800, '7 days', '7 Tage'],
  ])('%d seconds', (seconds, duration, window) => {
    expect(english.duration(seconds)).toBe(duration);
    expect(german.window(seconds)).toBe(window);
  });

  it('numbers and distances', () => {
    expect([english.number(1234567), german.number(1234567)]).toEqual(['1,234,567', '1.234.567']);
    const now = Date.UTC(2030, 0, 1);
    expect(english.relative(now - 3 * 60_000, now)).toBe('3 minutes ago');
    expect(german.relative(now - 3 * 60_000, now)).toBe('vor 3 Minuten');
    expect(english.relative(now + 2 * 86_400_000, now)).toBe('in 2 days');
  });
});

describe('explain', () => {
  const { errors } = messagesOf('en');
  const failed = (statusCode: number, code: string) =>
    new KeywardError({
      code,
      message: 'from the server',
      statusCode,
      requestId: null,
      retryAfterSeconds: null,
    });

  it.each([
    [failed(403, 'origin_denied'), errors.origin],
    [failed(403, 'scope_missing'), errors.denied],
    [failed(404, 'key_not_found'), errors.notFound],
    [failed(409, 'too_many_keys'), errors.keyLimit],
    [failed(429, 'rate_limited'), errors.busy],
    [failed(503, 'overloaded'), errors.unavailable],
    [failed(400, 'validation_failed'), errors.other('from the server')],
    [noResponse('unreachable', 'offline'), errors.unreachable],
    [noResponse('timeout', 'slow'), errors.unreachable],
    [new TypeError('broken'), errors.other('broken')],
  ])('%s', (error, text) => {
    expect(explain(error, messagesOf('en'))).toBe(text);
  });
});
