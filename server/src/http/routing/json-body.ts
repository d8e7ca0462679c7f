import { KeywardError } from '../../kernel/errors.ts';
import { BODY_BYTES_MAX, parseLargeJson, parseStrictJson } from '../../kernel/json/json.ts';

/**
 * The value of a body, or a promise of it if the body is large; undefined if it is empty. A route that takes no body ignores an empty one, or
 * `{}` of any type, because common clients send a content type with an empty body.
 */
export function readJsonBody(body: Buffer, type: string | undefined, takesBody: boolean): unknown {
  if (body.length === 0) return undefined;
  if (!takesBody) {
    if (isEmptyObject(body)) return undefined;
    throw new KeywardError('invalid_body', 'This call takes no body.');
  }
  if (!isJson(type ?? typeOf(body))) throw new KeywardError('unsupported_media_type');
  return body.length > BODY_BYTES_MAX ? parseLargeJson(body) : parseStrictJson(body);
}

const isEmptyObject = (body: Buffer): boolean =>
  body.length <= 16 && /^\s*\{\s*\}\s*$/.test(body.toString('latin1'));

/** A body without a type is JSON if it begins like an object or an array. */
const typeOf = (body: Buffer): string =>
  /^\s*[[{]/.test(body.toString('latin1', 0, 64)) ? 'application/json' : '';

const isJson = (type: string): boolean =>
  /^application\/(json|[a-z0-9.+-]+\+json)\s*(;\s*charset="?utf-?8"?\s*)?;?$/i.test(type);
