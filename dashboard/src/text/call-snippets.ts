/** The same request in each language. */
export type SnippetSet = Readonly<Record<'curl' | 'typescript' | 'python' | 'go', string>>;

interface Call {
  readonly origin: string;
  readonly accessKey: string;
}

/** A POST request with a JSON body, which keeps key values out of URLs and logs. */
const postRequest = (
  { origin, accessKey }: Call,
  path: string,
  body: object,
): Omit<SnippetSet, 'typescript'> => {
  const json = JSON.stringify(body);
  return {
    curl: `curl -s ${origin}${path} \\
  -H 'x-api-key: ${accessKey}' \\
  -H 'content-type: application/json' \\
  -d '${json}'`,
    python: `import requests

response = requests.post(
    "${origin}${path}",
    headers={"x-api-key": "${accessKey}"},
    json=${json},
)
print(response.status_code, response.json())`,
    go: `package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(\`${json}\`)
	request, err := http.NewRequest("POST", "${origin}${path}", body)
	if err != nil {
		panic(err)
	}
	request.Header.Set("x-api-key", "${accessKey}")
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	result, err := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(result), err)
}`,
  };
};

const client = ({ origin, accessKey }: Call): string => `import { Keyward } from 'keyward';

const keyward = new Keyward({
  url: '${origin}',
  accessKey: '${accessKey}',
  onUnavailable: 'deny',
});`;

export const validateSnippets = (call: Call, apiKey: string): SnippetSet => ({
  ...postRequest(call, '/api-keys/auth', { key: apiKey }),
  typescript: `${client(call)}

const { allowed, record } = await keyward.validate('${apiKey}');
console.log(allowed, record);`,
});

export const createSnippets = (
  call: Call,
  body: { readonly projectId: string; readonly name: string },
): SnippetSet => ({
  ...postRequest(call, '/api-keys', body),
  typescript: `${client(call)}

const { id, key } = await keyward.apiKeys.create({
  projectId: '${body.projectId}',
  name: '${body.name}',
});
console.log(id, key);`,
});
