import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeywardError } from '../../../kernel/errors.ts';
import { ALLOW_NONE, parseAllowList } from './address-rules.ts';
import { checkTarget } from './target.ts';

function reasonOf(url: string, allow = ALLOW_NONE): string {
  try {
    checkTarget(url, allow);
  } catch (error) {
    if (error instanceof KeywardError && error.code === 'invalid_body') return error.message;
    throw error;
  }
  return 'accepted';
}

const ACCEPTED: [url: string, normalized: string][] = [
  ['https://example.com', 'https://example.com/'],
  ['https://example.com./hook?x=1', 'https://example.com./hook?x=1'],
  ['HTTPS://Hooks.Example.com:8443/a/b', 'https://hooks.example.com:8443/a/b'],
  ['https://example.com:443/', 'https://example.com/'],
  ['https://example.com:65535/', 'https://example.com:65535/'],
  ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
  ['https://8.8.8.8/hook', 'https://8.8.8.8/hook'],
  ['https://[2606:4700:4700:0::1111]:1/', 'https://[2606:4700:4700::1111]:1/'],
  ['https://127.0.0.1.example.com/', 'https://127.0.0.1.example.com/'],
];

it.each(ACCEPTED)('accepts %s, and normalizes it', (url, normalized) => {
  expect(checkTarget(url, ALLOW_NONE)).toBe(normalized);
});

const REFUSED: Record<string, string[]> = {
  'url must be of the form': [
    ...['', 'example.com', '//example.com', 'https:example.com', 'https:/example.com', 'https://'],
    ...['https:///hook', 'ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/'],
    ...['javascript:alert(1)', 'data:text/plain,x', 'ws://example.com/', 'unix:/run/x.sock'],
    ...['blob:https://example.com/', 'view-source:https://example.com/', 'https+unix://x/'],
  ],
  'url must start with https://': ['http://example.com/', 'http://8.8.8.8/'],
  'url cannot carry a user name': [
    ...['https://user@example.com/', 'https://u:p@example.com/', 'https://@example.com/'],
    ...['https://example.com@127.0.0.1/', 'https://127.0.0.1:80@example.com/'],
  ],
  'url cannot have a fragment': [
    'https://example.com/#x',
    'https://example.com#',
    'https://a.b#@c.d/',
  ],
  'url cannot contain spaces': [
    ...[
      ' https://example.com/',
      'https://example.com/ ',
      'https://exam\nple.com/',
      'ht\ttps://a.b/',
    ],
    ...[
      'https:\\\\example.com/',
      'https://example.com\\@127.0.0.1/',
      'https://a.b/\u0000',
      'https://a.b/\u3000',
    ],
  ],
  'url cannot have an escaped host': ['https://%31%32%37.0.0.1/', 'https://[fe80::1%25eth0]/'],
  'url has a host or port that cannot be read': [
    ...[
      'https://example.com:65536/',
      'https://example.com:x/',
      'https://1.2.3.4.5/',
      'https://256.0.0.1/',
    ],
    ...['https://[::1/', 'https://[v1.x]/', 'https://exa<mple.com/'],
  ],
  'url cannot use port 0': ['https://example.com:0/'],
  'url must write an IPv4 address as four decimal numbers': [
    ...['https://2130706433/', 'https://0x7f000001/', 'https://0x7f.1/', 'https://0177.0.0.1/'],
    ...['https://127.1/', 'https://127.0.1/', 'https://127.0.0.1./', 'https://134744072/'],
    ...['https://１２７.０.０.１/', 'https://①②⑦.⓪.⓪.①/', 'https://127。0。0。1/', 'https://0/'],
    ...['https://127.0.0.1\u00ad/', 'https://017700000001/', 'https://0x/', 'https://1/'],
  ],
  'url must have a public address; this is a loopback': [
    'https://127.0.0.1/',
    'https://[::1]:8443/',
  ],
  'this is an IPv4-mapped': ['https://[::ffff:127.0.0.1]/', 'https://[0:0:0:0:0:ffff:7f00:1]/'],
  'this is a link-local': ['https://169.254.169.254/latest/meta-data/', 'https://[fe80::1]/'],
  'this is a private': ['https://10.0.0.1/', 'https://[fd00::1]/', 'http://192.168.0.1/'],
  'url must name a public host': [
    ...[
      'https://localhost/',
      'https://LOCALHOST./',
      'https://a.localhost/',
      'https://printer.local/',
    ],
    ...[
      'https://metadata.google.internal/',
      'https://intranet/',
      'https://ｌocalhost/',
      'https://loca\u00adlhost/',
    ],
  ],
  'url has a host with an empty part': [
    'https://example..com/',
    'https://./',
    'https://.example.com/',
  ],
};

describe('checkTarget rejects', () => {
  for (const [reason, urls] of Object.entries(REFUSED))
    it.each(urls)(`%j: ${reason}`, (url) => {
      expect(reasonOf(url)).toContain(reason);
    });

  it('a URL that is too long, also after escaping', () => {
    const longest = `https://example.com/${'a'.repeat(2048 - 20)}`;
    expect(reasonOf(longest)).toBe('accepted');
    expect(reasonOf(`${longest}a`)).toContain('2048 characters');
    expect(reasonOf(`https://example.com/${'ä'.repeat(400)}`)).toContain('escapes included');
  });
});

describe('with an allow list', () => {
  const allow = parseAllowList('127.0.0.0/8, ::1');

  it.each(['http://127.0.0.1:3000/', 'https://127.0.0.2/', 'http://[::1]/', 'http://localhost:1/'])(
    'accepts %s',
    (url) => {
      expect(reasonOf(url, allow)).toBe('accepted');
    },
  );

  it('accepts names, also with plain http, until their address is known', () => {
    expect(reasonOf('http://receiver:3000/', allow)).toBe('accepted');
    expect(reasonOf('https://printer.local/', allow)).toBe('accepted');
  });

  it('still rejects other addresses, other spellings and plain http to public addresses', () => {
    expect(reasonOf('http://10.0.0.1/', allow)).toContain('a private address');
    expect(reasonOf('http://[::ffff:127.0.0.1]/', allow)).toContain('IPv4-mapped');
    expect(reasonOf('http://2130706433/', allow)).toContain('four decimal numbers');
    expect(reasonOf('http://8.8.8.8/', allow)).toContain('must start with https://');
    expect(reasonOf('http://u:p@127.0.0.1/', allow)).toContain('user name');
  });
});

it('returns a URL or throws a 400 for any text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string(),
        fc.string().map((s) => `https://${s}`),
      ),
      (url) => {
        expect(typeof reasonOf(url)).toBe('string');
      },
    ),
  );
});
