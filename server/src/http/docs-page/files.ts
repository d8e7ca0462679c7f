import { readFileSync } from 'node:fs';
import { packageFile } from '../../kernel/files.ts';

export interface DocsFile {
  /** Where it is served. */
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Nothing from elsewhere, nothing inline: the page can send requests to this server and no other. */
export const DOCS_CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const FILES = [
  ['/docs', 'index.html', HTML],
  ['/docs/docs.css', 'docs.css', CSS],
  ['/docs/docs.js', 'docs.js', SCRIPT],
  ['/docs/elements.js', 'elements.js', SCRIPT],
  ['/docs/openapi.js', 'openapi.js', SCRIPT],
  ['/docs/operation.js', 'operation.js', SCRIPT],
  ['/docs/request.js', 'request.js', SCRIPT],
  ['/docs/schema.js', 'schema.js', SCRIPT],
  ['/docs/sidebar.js', 'sidebar.js', SCRIPT],
  ['/docs/try-it.js', 'try-it.js', SCRIPT],
] as const;

/** Read once, at start: the page is small and must not depend on the disk later. */
export function readDocsFiles(): readonly DocsFile[] {
  return FILES.map(([path, name, contentType]) => ({
    path,
    contentType,
    body: readFileSync(packageFile(`dist/docs-page/${name}`)),
  }));
}
