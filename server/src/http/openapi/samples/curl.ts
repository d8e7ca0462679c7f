import type { Route } from '../../../kernel/route.ts';
import { sampleRequest, written } from './request.ts';

/** For a shell. Values that later samples use are kept in variables, and the response is still shown. */
export function curl(route: Route): string {
  const { method, path, headers, body } = sampleRequest(route);
  const isDefault = method === (body === undefined ? 'GET' : 'POST');
  const { keeps, first } = route.example ?? {};
  const before = first === undefined ? '' : `${first}\n`;
  const options = [
    ...(isDefault ? [] : [`-X ${method}`]),
    ...(route.stream ? ['-N'] : []),
    `"$KEYWARD_URL${path}"`,
  ];
  const lines = [
    `curl ${[...(keeps ? ['-s'] : []), ...options].join(' ')}`,
    ...headers.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`  -d '${written(body, JSON_IN_QUOTES, '  ')}'`]),
  ].join(' \\\n');
  if (!keeps) return before + lines;
  const [variable, field] = keeps;
  return `${before}export ${variable}=$(${lines} \\\n  | tee /dev/stderr ${reading(field)})`;
}

const quoted = (text: string): string => (text.includes('$') ? `"${text}"` : `'${text}'`);

/** Leaves the single quotes for a variable. */
const JSON_IN_QUOTES = {
  variable: (name: string) => `"'"$${name}"'"`,
  name: (name: string) => JSON.stringify(name),
  text: (text: string) => JSON.stringify(text).replaceAll("'", String.raw`'\''`),
};

/** The first field of this name, without a program that the machine may not have. */
const reading = (field: string): string =>
  `| grep -o '"${field}":"[^"]*' | head -n 1 | cut -d '"' -f 4`;
