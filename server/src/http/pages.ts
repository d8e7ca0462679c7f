import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ERROR_PAGES_PATH, KeywardError } from '../kernel/errors.ts';
import { packageFile } from '../kernel/files.ts';
import { readErrorPage } from './docs-page/error-pages.ts';
import { DOCS_CONTENT_SECURITY_POLICY, readDocsFiles } from './docs-page/files.ts';

const DASHBOARD = fileURLToPath(packageFile('../dashboard/dist/'));

const DASHBOARD_CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Serves the API reference, the error pages and the dashboard. */
export function installPages(server: FastifyInstance, describeApi: () => object): void {
  let document: string | undefined;
  const withHead = { exposeHeadRoute: true };
  server.get('/openapi.json', withHead, (_request, reply) => {
    document ??= JSON.stringify(describeApi());
    return reply.type('application/json; charset=utf-8').send(document);
  });
  for (const file of readDocsFiles())
    server.get(file.path, withHead, (_request, reply) =>
      sendDocs(reply, file.contentType, file.body),
    );
  for (const path of [ERROR_PAGES_PATH, `${ERROR_PAGES_PATH}/:code`])
    server.get<{ Params: { code?: string } }>(path, withHead, async (request, reply) => {
      const page = await readErrorPage(request.params.code);
      if (page === null) throw new KeywardError('route_not_found');
      return sendDocs(reply, 'text/html; charset=utf-8', page);
    });
  // Built by `npm ci`; a checkout without it still serves the API.
  if (!existsSync(DASHBOARD)) return;
  server.register(fastifyStatic, {
    root: DASHBOARD,
    prefix: '/dashboard/',
    index: false,
    wildcard: false,
    cacheControl: false,
    preCompressed: true,
    setHeaders(reply, path) {
      reply.header('content-security-policy', DASHBOARD_CONTENT_SECURITY_POLICY);
      reply.header('referrer-policy', 'no-referrer');
      // Built files have a hash in their name; the page that links them does not.
      const hashed = path.includes('/assets/');
      reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  // The dashboard routes its own URLs; all of them load the same page.
  for (const address of ['/dashboard/', '/dashboard/*'])
    server.get(address, (_request, reply) => reply.sendFile('index.html'));
}

const sendDocs = (reply: FastifyReply, type: string, body: Buffer | string): FastifyReply =>
  reply
    .header('content-security-policy', DOCS_CONTENT_SECURITY_POLICY)
    .header('cache-control', 'no-cache')
    .type(type)
    .send(body);
