import type { Example, Route } from '../../../kernel/route.ts';
import { type Notation, partsOf, sampleRequest, written } from './request.ts';

const PYTHON: Notation = {
  variable: (name) => `os.environ["${name}"]`,
  name: (name) => JSON.stringify(name),
  isTight: true,
  constant: (value) => ({ true: 'True', false: 'False', null: 'None' })[`${value}`],
};

/** With the client where it has a method, or else with the standard library. */
export function python(route: Route): string {
  const call = CLIENT_CALLS[route.operationId];
  return call === undefined ? withStandardLibrary(route) : withClient(call(route.example ?? {}));
}

const withClient = (call: string): string => `import os
from keyward import Keyward

keyward = Keyward(os.environ["KEYWARD_URL"], os.environ["KEYWARD_ACCESS_KEY"])
print(${call})`;

type Call = (example: Example) => string;
type Parts = Readonly<Record<string, unknown>>;

const value = (item: unknown): string => written(item, PYTHON, '', '    ');

const CLIENT_CALLS: Readonly<Record<string, Call>> = {
  createApiKey: ({ body }) => `keyward.create_key(${value(body)})`,
  rotateApiKey({ params, body }) {
    const { graceSeconds } = body as Parts;
    return `keyward.rotate_key(${value((params as Parts).key)}, grace_seconds=${value(graceSeconds)})`;
  },
  validateApiKeys({ body }) {
    const { key, permissions } = body as Parts;
    return `keyward.validate(${value(key)}, permissions=${value(permissions)})`;
  },
};

function withStandardLibrary(route: Route): string {
  const { method, path, headers, body } = sampleRequest(route);
  const all = headers.map(([name, item]) => `        "${name}": ${text(item)},`);
  const options = [
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(all.length === 0 ? [] : ['    headers={', ...all, '    },']),
    ...(body === undefined
      ? []
      : [`    data=json.dumps(${written(body, PYTHON, '    ', '    ')}).encode(),`]),
  ];
  return `import ${[...(body === undefined ? [] : ['json']), 'os', 'urllib.request'].join(', ')}

request = urllib.request.Request(
    ${text(`$KEYWARD_URL${path}`)},
${options.map((line) => `${line}\n`).join('')})
with urllib.request.urlopen(request) as response:
    print(response.read().decode())`;
}

const text = (content: string): string =>
  partsOf(content)
    .map((part, place) => (place % 2 === 1 ? PYTHON.variable(part) : part && JSON.stringify(part)))
    .filter((part) => part !== '')
    .join(' + ');
