import type { Route } from '../../../kernel/route.ts';
import { type Notation, partsOf, sampleRequest, written } from './request.ts';

/** Leaves the raw string for a variable. */
const JSON_IN_RAW_STRING: Notation = {
  variable: (name) => `"\` + os.Getenv("${name}") + \`"`,
  name: (name) => JSON.stringify(name),
};

/** A program that uses the standard library. */
export function go(route: Route): string {
  const { method, path, headers, body } = sampleRequest(route);
  const content =
    body === undefined
      ? 'nil'
      : `strings.NewReader(\`${written(body, JSON_IN_RAW_STRING, '\t', '\t')}\`)`;
  const imports = ['io', 'log', 'net/http', 'os', ...(body === undefined ? [] : ['strings'])];
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join('\n')}
)

func main() {
	request, err := http.NewRequest("${method}", ${text(`$KEYWARD_URL${path}`)}, ${content})
	if err != nil {
		log.Fatal(err)
	}
${headers.map(([name, value]) => `\trequest.Header.Set("${name}", ${text(value)})\n`).join('')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	io.Copy(os.Stdout, response.Body)
}`;
}

const text = (content: string): string =>
  partsOf(content)
    .map((part, place) => (place % 2 === 1 ? `os.Getenv("${part}")` : part && JSON.stringify(part)))
    .filter((part) => part !== '')
    .join('+');
