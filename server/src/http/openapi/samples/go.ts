import type { Route } from '../../../kernel/route.ts';
import { type Notation, partsOf, sampleRequest, written } from './request.ts';

/** Leaves the raw string for a variable. */
const JSON_IN_RAW_STRING: Notation = {
  variable: (name) => `"\`+os.Getenv("${name}")+\`"`,
  name: (name) => JSON.stringify(name),
};

const GO: Notation = { variable: (name) => `os.Getenv("${name}")`, name: (name) => name };

/** With the client for validations, or else with the standard library. */
export const go = (route: Route): string =>
  route.operationId === 'validateApiKeys'
    ? withClient(route.example?.body as Readonly<Record<string, unknown>>)
    : withStandardLibrary(route);

const withClient = ({
  key,
  permissions,
}: Readonly<Record<string, unknown>>): string => `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	keyward "github.com/keyward/keyward/clients/go"
)

func main() {
	client, err := keyward.New(keyward.Config{
		URL:       os.Getenv("KEYWARD_URL"),
		AccessKey: os.Getenv("KEYWARD_ACCESS_KEY"),
	})
	if err != nil {
		log.Fatal(err)
	}
	needs := keyward.Requirements{Permissions: ${written(permissions, GO)}}
	result, err := client.Validate(context.Background(), ${written(key, GO)}, needs)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Valid, result.Code)
}`;

function withStandardLibrary(route: Route): string {
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
    .map((part, place) => (place % 2 === 1 ? GO.variable(part) : part && JSON.stringify(part)))
    .filter((part) => part !== '')
    .join('+');
