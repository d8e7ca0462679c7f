import { operatorHeaders as signed } from '../../src/cli/operator.ts';
import type { TestApp } from '../harness/test-app.ts';
import { createTestClient, type TestClient } from '../harness/test-client.ts';

export interface OtherAccount {
  readonly accountId: string;
  readonly projectId: string;
  /** Account level, all scopes. */
  readonly accessKey: string;
  readonly client: TestClient;
}

/** The headers that the CLI of the operator sends instead of an access key. */
export const operatorHeaders = (test: TestApp, method: string, path: string, body?: object) =>
  signed(
    test.secrets.signOperator,
    method,
    path,
    body === undefined ? '' : JSON.stringify(body),
    test.clock.now,
  );

/** Creates a second account as an operator does, with one live project. */
export async function createOtherAccount(test: TestApp): Promise<OtherAccount> {
  const operator = createTestClient(test.url, null);
  const post = async (path: string, body: object) => {
    const response = await operator.post(path, body, operatorHeaders(test, 'POST', path, body));
    if (response.status !== 201) throw new Error(`${path}: ${response.text}`);
    return response.body;
  };
  const account = await post('/accounts', { name: 'Other account' });
  const { key } = await post('/access-keys', { name: 'Theirs', accountId: account.id });
  const client = createTestClient(test.url, key);
  const project = await client.post('/projects', { name: 'Their project' });
  return { accountId: account.id, projectId: project.body.id, accessKey: key, client };
}
