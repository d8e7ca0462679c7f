import type { FastifyInstance, FastifyRequest } from 'fastify';
import { KeywardError } from '../../kernel/errors.ts';
import { parseStrictJson } from '../../kernel/json.ts';
import { checkSignedBody } from '../gate/authenticate.ts';

export const BODY_BYTES_MAX = 64 * 1024;

/**
 * Parses all bodies. A route without a body ignores an empty one, or `{}` of any type, because common
 * clients send a content type with an empty body.
 */
export function installBodyParser(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX },
    async (request: FastifyRequest, body: Buffer) => {
      const takesBody = request.routeOptions.schema?.body !== undefined;
      if (body.length === 0) return undefined;
      checkSignedBody(request, body);
      if (request.routeOptions.config.route?.rawBody) request.rawBody = body;
      if (!takesBody) {
        if (isEmptyObject(body)) return undefined;
        throw new KeywardError('invalid_body', 'This call takes no body.');
      }
      if (!isJson(request.headers['content-type'] ?? typeOf(body)))
        throw new KeywardError('unsupported_media_type');
      return parseStrictJson(body);
    },
  );
}

const isEmptyObject = (body: Buffer): boolean =>
  body.length <= 16 && /^\s*\{\s*\}\s*$/.test(body.toString('latin1'));

/** A body without a type is JSON if it begins like an object or an array. */
const typeOf = (body: Buffer): string =>
  /^\s*[[{]/.test(body.toString('latin1', 0, 64)) ? 'application/json' : '';

const isJson = (type: string): boolean =>
  /^application\/(json|[a-z0-9.+-]+\+json)\s*(;\s*charset="?utf-?8"?\s*)?;?$/i.test(type);
