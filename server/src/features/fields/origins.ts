import Type from 'typebox';
import { listText } from '../policies/index.ts';

/** URLs allow more characters in a host, such as `;` and `*`, which have a meaning in a policy header. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/;

export const Origins = (help: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 255, examples: ['https://app.example.com'] }), {
    maxItems: 20,
    description: help,
  });

export const originsText = (
  field: string,
  origins: readonly string[] | null | undefined,
): string | null =>
  listText(
    field,
    origins,
    (text) => ORIGIN.test(text) && URL.parse(text)?.origin === text && isWebUrl(new URL(text)),
    'an origin; write it like https://app.example.com, without a path. Plain http is allowed only for localhost and loopback addresses',
  );

/** `https`, or `http` on this machine, for development. */
export const isWebUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' ||
  (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
