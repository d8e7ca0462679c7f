import { readFileSync } from 'node:fs';
import { RECIPES } from './gateway-process.ts';

/** Paths that an API may read as /documents, or as another path than the gateway does. */
export const UNCLEAR = [
  ...['/documents;a=b', '/documents;', '/;/documents', '/hello;/../documents', '/documents;.json'],
  ...['/x/..;/documents', '/hello/..;/documents', '/hello/..;a=b/documents', '/hello/.;/documents'],
  ...[
    '/\\documents',
    '\\documents',
    '/documents\\',
    '/hello\\..\\documents',
    '/hello/..\\documents',
  ],
  ...[
    '/documents.',
    '/documents..',
    '/documents./',
    '/documents./7',
    '/documents/.',
    '/documents/..',
  ],
  ...['/documents%20', '/documents%20/', '/%20/documents', '/documents%09', '/documents%0a'],
  ...['/documents%00', '/documents%00.json', '/%00/documents', '/hello%00/../documents'],
  ...['/%25documents', '/documents%25', '/documents%2520', '/%2564ocuments', '/%252564ocuments'],
  ...[
    '/hello/%252e%252e/documents',
    '/hello%252f..%252fdocuments',
    '/hello/%25%32%65%25%32%65/documents',
  ],
  ...['//documents', '///documents', '/hello//documents', '//hello/../documents', '/documents//'],
  ...[
    '/./documents',
    '/x/../documents',
    '/hello/../documents',
    '/hello/.../documents',
    '/../documents',
  ],
  ...['/%64ocuments', '/%64OCUMENTS', '/documents%2f', '/documents%2F7', '/hello%2f..%2Fdocuments'],
  ...[
    '/%2e/documents',
    '/hello/%2e%2E/documents',
    '/hello/.%2e/documents',
    '/hello/%2E./documents',
  ],
  ...[
    '/%5cdocuments',
    '/%5Cdocuments',
    '/hello/..%5Cdocuments',
    '/documents%3b',
    '/documents%3Ba=b',
  ],
  ...[
    '/hello/%c0%ae%c0%ae/documents',
    '/hello%c0%af..%c0%afdocuments',
    '/hello/%e0%80%ae%e0%80%ae/documents',
  ],
  ...['/hello/\xc0\xae\xc0\xae/documents', '/hello/\xef\xbc\x8e\xef\xbc\x8e/documents'],
  ...[
    '/hello/%ef%bc%8e%ef%bc%8e%ef%bc%8fdocuments',
    '/hello/%u002e%u002e/documents',
    '/hello/%uff0e/x',
  ],
  ...['/documents#', '/documents#x', '/hello#/../documents', '/documents%23', '/documents%3fx'],
  ...['/documents%', '/documents%2', '/documents%zz', '/documents|', '/documents"', '/documents^'],
  ...[
    '/documents<',
    '/documents{x}',
    '/documents`',
    '/documents\x7f',
    '/documents\x0b',
    '/documents\x01',
  ],
  ...['*', 'documents', ':80/documents', '?/documents'],
] as const;

/** Some gateways reject these, the others read them as /documents too. */
export const UNUSUAL = [
  ...[
    '/document\xc5\xbf',
    '/documents\t',
    '/documents?x#y',
    '/documents#/../hello?x',
    '/documents \t',
  ],
  ...['http://127.0.0.1/documents', 'HTTP://127.0.0.1:80/documents', 'https://127.0.0.1/documents'],
];

/** Read as /documents by some API, so it needs the permission of /documents. */
export const DOCUMENTS = [
  ...[
    '/documents',
    '/documents/',
    '/Documents',
    '/DOCUMENTS/7',
    '/documents.json',
    '/documents:export',
  ],
  ...[
    '/documents~',
    '/documents,x',
    '/documents@x',
    '/documents=x',
    '/documents::$DATA',
    '/documents!',
  ],
  ...['/documents/7?permission=reports.read', '/documents?permission=&ip=10.0.0.1'],
];

export const UNNAMED = [
  ...[
    '/',
    '/?x',
    '/documentsother',
    '/documents-old',
    '/documents_old',
    '/hell',
    '/helloworld',
    '/api',
  ],
  ...[
    '/.well-known/x',
    '/_keyward',
    '/gateway/verify',
    '/index.php/documents',
    '/dev/null/none',
    '/@api',
  ],
];

export const PLAIN = [
  ...[
    '/hello',
    '/hello/',
    '/hello?',
    '/hello/7?a=b&c=%2e%2e%2f;%00',
    '/hello/.hidden/a.b',
    '/HELLO/1',
  ],
  ...["/hello/!$&'()*+,=:@~-_.a", '/hello?x=http://other/../documents', '/hello/a..b/c'],
];

/** Names with spaces and letters outside ASCII, for the wider pattern of the documentation. */
export const ENCODED = [
  ...['/hello/a%20b', '/hello/caf%C3%A9', '/hello/%D0%96/x', '/hello/%E6%97%A5%E6%9C%AC.txt'],
];

/** Names that only continue like /documents with the wider pattern. */
export const ENCODED_DOCUMENTS = ['/documents/caf%C3%A9', '/documents%C3%A9', '/documents%20x'];

/** The pattern of one segment of a plain path, which each recipe has once. */
export const SEGMENT = '[!$&-.0-:=@-Z_a-z~]*[!$&-,0-:=@-Z_a-z~-]';

/** The pattern that the documentation offers in its place. */
export function widerSegment(): string {
  const readme = readFileSync(new URL('README.md', RECIPES), 'utf8');
  const [, pattern] = /by:\n\n {2}```text\n {2}(\S+)\n {2}```/.exec(readme)!;
  return pattern!;
}
