import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { KeywardError } from '../kernel/errors.ts';
import { packageFile } from '../kernel/files.ts';

const STRICT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Scalar inserts its styles with a script, and VitePress colors code with attributes. */
const INLINE_STYLE_POLICY = STRICT_POLICY.replace(
  "style-src 'self'",
  "style-src 'self' 'unsafe-inline'",
);

const withHead = { exposeHeadRoute: true };

/** What the portal page needs to know about a project. */
interface PortalPages {
  /** The sites that may embed the page. */
  origins(projectId: string): Promise<readonly string[]>;
  logo(projectId: string): Promise<Buffer | null>;
}

/** Serves the documentation, the API reference, the dashboard and the portal page. */
export function installPages(
  server: FastifyInstance,
  describeApi: () => object,
  portal: PortalPages,
): void {
  // All responses share the bytes: clients that read nothing take no memory.
  let document: Buffer | undefined;
  server.get('/openapi.json', withHead, (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(describeApi()));
    return reply.type('application/json; charset=utf-8').send(document);
  });
  serveFolder(server, {
    folder: 'dist/docs-page/',
    prefix: '/docs/api/',
    policy: INLINE_STYLE_POLICY,
    pagePaths: ['/docs/api/'],
  });
  serveDocs(server);
  serveFolder(server, {
    folder: '../dashboard/dist/',
    prefix: '/dashboard/',
    policy: STRICT_POLICY,
    // The dashboard handles the paths below its own in the browser.
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

/** Not a folder, nor the page itself, nor the compressed copy of a file. */
const isServedFile = (name: string): boolean =>
  /^\w[\w.-]*\.\w+$/.test(name) && !/\.(html|br|gz)$/.test(name);

/**
 * Serves built files. They are read when requested; a checkout without a build serves only the API. Assets
 * share a route: one for each would slow the start.
 */
function serveFolder(server: FastifyInstance, served: ServedFolder): void {
  const { folder, prefix, policy, pagePaths, policyOf } = served;
  const root = fileURLToPath(packageFile(folder));
  if (!existsSync(root)) return;
  // A scope for each folder, because `sendFile` belongs to the scope that it was registered in.
  server.register(async (scope) => {
    await scope.register(fastifyStatic, { ...staticOptions(root, policy), serve: false });
    for (const path of pagePaths)
      scope.get(path, withHead, async (request, reply) => {
        if (policyOf) reply.header('content-security-policy', await policyOf(request));
        return reply.sendFile('index.html');
      });
    for (const file of readdirSync(root).filter(isServedFile))
      scope.get(`${prefix}${file}`, withHead, (_request, reply) => reply.sendFile(file));
    scope.get<{ Params: { file: string } }>(
      `${prefix}assets/:file(^[\\w.-]+$)`,
      withHead,
      (request, reply) => reply.sendFile(`assets/${request.params.file}`),
    );
  });
}

/** Serves the documentation site. Its files are looked up by one route. */
function serveDocs(server: FastifyInstance): void {
  const root = fileURLToPath(packageFile('../docs/dist/'));
  if (!existsSync(root)) {
    server.get('/docs', withHead, (_request, reply) => reply.redirect('/docs/api/'));
    return;
  }
  const folders = readdirSync(root).filter((name) => existsSync(`${root}${name}/index.html`));
  server.register(async (scope) => {
    await scope.register(fastifyStatic, {
      ...staticOptions(root, INLINE_STYLE_POLICY),
      serve: false,
    });
    for (const folder of ['', ...folders.map((name) => `/${name}`)])
      scope.get(`/docs${folder}`, withHead, (request, reply) => {
        // The router ignores a slash at the end, but the site needs it to find its pages.
        const [path = ''] = request.url.split('?');
        return path.endsWith('/')
          ? reply.sendFile(`${folder}/index.html`)
          : reply.redirect(`${path}/`);
      });
    scope.get<{ Params: { '*': string } }>('/docs/*', withHead, (request, reply) => {
      const path = request.params['*'];
      // Addresses of pages have no extension: `guides/portal` is `guides/portal.html`.
      const file = /\.\w+$/.test(path) ? path : `${path}.html`;
      const isName = /^[\w@./-]+$/.test(file) && !file.includes('..');
      return isName ? reply.sendFile(file) : reply.callNotFound();
    });
  });
}

const staticOptions = (root: string, policy: string): FastifyStaticOptions => ({
  root,
  cacheControl: false,
  preCompressed: true,
  setHeaders(reply, path) {
    if (!reply.hasHeader('content-security-policy'))
      reply.header('content-security-policy', policy);
    reply.header('referrer-policy', 'no-referrer');
    // Files in assets/ have their hash in their name; all others are revalidated by their ETag.
    const isHashed = path.includes('/assets/');
    reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  },
});
