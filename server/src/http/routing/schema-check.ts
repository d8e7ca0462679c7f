import type { FastifySchemaCompiler } from 'fastify';
import { type ErrorCode, KeywardError } from '../../kernel/errors.ts';
import { createCheck } from '../../kernel/json/check-value.ts';

const PARTS: Record<string, readonly [code: ErrorCode, whole: string]> = {
  body: ['invalid_body', 'The body'],
  querystring: ['invalid_query', 'The query'],
  params: ['invalid_path', 'The path'],
};

/** The check returns an error of the catalogue, whose message names the field and what it must be. */
export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart = 'body' }) => {
  const [code, whole] = PARTS[httpPart] ?? ['invalid_request', 'The request'];
  const check = createCheck(schema, httpPart === 'body' ? 'json' : 'text', whole);
  // Fastify passes a missing body as null.
  const mayBeMissing = httpPart === 'body' && '~optional' in schema;
  const flags = httpPart === 'querystring' ? namesOf(schema, 'boolean') : [];
  const lists = httpPart === 'querystring' ? namesOf(schema, 'array') : [];
  return (value: unknown) => {
    for (const name of flags) lowerFlag(value as Record<string, unknown>, name);
    for (const name of lists) makeList(value as Record<string, unknown>, name);
    if (mayBeMissing && value === null) return true;
    const wrong = check(value) ?? (httpPart === 'body' ? null : nulIn(value as object));
    return wrong === null ? true : { error: new KeywardError(code, wrong) };
  };
};

const namesOf = (
  { properties = {} }: { properties?: Record<string, { type?: unknown }> },
  type: 'boolean' | 'array',
) => Object.keys(properties).filter((name) => properties[name]!.type === type);

/** A parameter that may be repeated is a string when it occurs once. */
function makeList(query: Record<string, unknown>, name: string): void {
  const value = query[name];
  if (typeof value === 'string') query[name] = [value];
}

/** Accepts `True` and `FALSE`, as some languages print them. */
function lowerFlag(query: Record<string, unknown>, name: string): void {
  const text = query[name];
  if (typeof text === 'string' && /^(true|false)$/i.test(text)) query[name] = text.toLowerCase();
}

/**
 * PostgreSQL rejects NUL in text, and the JSON parser rejects it in bodies. Key values are exempt: they
 * are looked up by their hash, so one with a NUL is just unknown.
 */
function nulIn(texts: object): string | null {
  const found = Object.entries(texts).find(
    ([name, text]) => name !== 'key' && [text].flat().some((each) => `${each}`.includes('\0')),
  );
  return found ? `${found[0]} must not contain a NUL character.` : null;
}
