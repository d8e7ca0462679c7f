import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BODY_BYTES_MAX } from '../../kernel/json/json.ts';
import { checkSignedBody } from '../gate/authenticate.ts';
import { readJsonBody } from './json-body.ts';

/** Parses all bodies. */
export function installBodyParser(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX },
    async (request: FastifyRequest, body: Buffer) => {
      const takesBody = request.routeOptions.schema?.body !== undefined;
      checkSignedBody(request, body);
      if (request.routeOptions.config.route?.rawBody) {
        request.rawBody = body;
        return undefined;
      }
      return readJsonBody(body, request.headers['content-type'], takesBody);
    },
  );
}
