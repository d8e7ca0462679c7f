import { operatorHeaders } from '#server/cli/operator.ts';
import { deriveSecrets } from '#server/kernel/secrets/crypto.ts';
import { type Keyward, ROOT_SECRET } from '../keyward.ts';

/** An account beside the first one, with keys of its own. */
export interface OtherAccount {
  readonly accessKey: string;
  readonly keys: readonly string[];
}

/** Creates an account as an operator does, with one project and some keys. */
export async function createAccount(
  { port }: Pick<Keyward, 'port'>,
  keyCount: number,
): Promise<OtherAccount> {
  const { signOperator } = deriveSecrets(ROOT_SECRET);
  const post = async (path: string, content: object, accessKey?: string) => {
    const body = JSON.stringify(content);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        ...(accessKey === undefined
          ? operatorHeaders(signOperator, 'POST', path, body, Date.now())
          : { 'x-api-key': accessKey }),
      },
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as { id: string; key: string };
  };
  const { id: accountId } = await post('/accounts', { name: 'Neighbour' });
  const { key: accessKey } = await post('/access-keys', { name: 'Neighbour', accountId });
  await post('/projects', { name: 'Neighbour' }, accessKey);
  const keys: string[] = [];
  for (let n = 0; n < keyCount; n++)
    keys.push((await post('/api-keys', { name: `Key ${n + 1}` }, accessKey)).key);
  return { accessKey, keys };
}
