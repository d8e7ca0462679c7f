import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ERROR_PAGES_PATH, KeywardError } from '../kernel/errors.ts';
import { packageFile } from '../kernel/files.ts';
import { readErrorPage } from './docs-page/error-pages.ts';

const STRICT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Scalar inserts its styles with a script, so its page must allow inline styles. */
const REFERENCE_POLICY = STRICT_POLICY.replace(
  "style-src 'self'",
  "style-src 'self' 'unsafe-inline'",
);

/** What the portal page needs to know about a project. */
interface PortalPages {
  /** The sites that may embed the page. */
  origins(projectId: string): Promise<readonly string[]>;
  logo(projectId: string): Promise<Buffer | null>;
}

/** Serves the API reference, the error pages, the dashboard and the portal page. */
export function installPages(
  server: FastifyInstance,
  describeApi: () => object,
  portal: PortalPages,
): void {
  let document: string | undefined;
  const withHead = { exposeHeadRoute: true };
  server.get('/openapi.json', withHead, (_request, reply) => {
    document ??= JSON.stringify(describeApi());
    return reply.type('application/json; charset=utf-8').send(document);
  });
  for (const path of [ERROR_PAGES_PATH, `${ERROR_PAGES_PATH}/:code`])
    server.get<{ Params: { code?: string } }>(path, withHead, async (request, reply) => {
      const page = await readErrorPage(request.params.code);
      if (page === null) throw new KeywardError('route_not_found');
      return reply
        .header('content-security-policy', STRICT_POLICY)
        .header('cache-control', 'no-cache')
        .type('text/html; charset=utf-8')
        .send(page);
    });
  serveFolder(server, {
    folder: 'dist/docs-page/',
    prefix: '/docs/',
    policy: REFERENCE_POLICY,
    pagePaths: ['/docs'],
  });
  serveFolder(server, {
    folder: '../dashboard/dist/',
    prefix: '/dashboard/',
    policy: STRICT_POLICY,
    // The dashboard routes the addresses below it in the browser.
    pagePaths: ['/dashboard/', '/dashboard/*'],
  });
  serveFolder(server, {
    folder: '../dashboard/dist/portal/',
    prefix: '/portal/',
    policy: STRICT_POLICY,
    pagePaths: ['/portal/:projectId(^prj_\\w+$)/'],
    // The project decides which sites may embed the page.
    async policyOf(request) {
      const { projectId } = request.params as { projectId: string };
      const origins = await portal.origins(projectId);
      if (origins.length === 0) return STRICT_POLICY;
      return STRICT_POLICY.replace(
        "frame-ancestors 'none'",
        `frame-ancestors ${origins.join(' ')}`,
      );
    },
  });
  server.get<{ Params: { projectId: string } }>(
    '/portal/:projectId(^prj_\\w+$)/logo.png',
    withHead,
    async (request, reply) => {
      const png = await portal.logo(request.params.projectId);
      if (png === null) throw new KeywardError('route_not_found');
      return reply
        .type('image/png')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('cross-origin-resource-policy', 'cross-origin')
        .header('cache-control', 'public, max-age=86400')
        .send(png);
    },
  );
}

interface ServedFolder {
  /** Relative to the package's folder. */
  readonly folder: string;
  readonly prefix: string;
  readonly policy: string;
  /** Where its `index.html` is served. */
  readonly pagePaths: readonly string[];
  /** The policy of `index.html`, if it depends on the request. */
  readonly policyOf?: (request: FastifyRequest) => Promise<string>;
}

/** Serves built files. They are read when requested; a checkout without a build serves only the API. */
function serveFolder(server: FastifyInstance, served: ServedFolder): void {
  const { folder, prefix, policy, pagePaths, policyOf } = served;
  const root = fileURLToPath(packageFile(folder));
  if (!existsSync(root)) return;
  // A scope for each folder, because `sendFile` belongs to the scope that it was registered in.
  server.register(async (scope) => {
    await scope.register(fastifyStatic, {
      root,
      prefix,
      index: false,
      wildcard: false,
      cacheControl: false,
      preCompressed: true,
      setHeaders(reply, path) {
        if (!reply.hasHeader('content-security-policy'))
          reply.header('content-security-policy', policy);
        reply.header('referrer-policy', 'no-referrer');
        // Files in assets/ have their hash in their name; all others are revalidated by their ETag.
        const isHashed = path.includes('/assets/');
        reply.header(
          'cache-control',
          isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
        );
      },
    });
    for (const path of pagePaths)
      scope.get(path, { exposeHeadRoute: true }, async (request, reply) => {
        if (policyOf) reply.header('content-security-policy', await policyOf(request));
        return reply.sendFile('index.html');
      });
  });
}
