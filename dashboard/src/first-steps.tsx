import { useProduct } from './use-product.ts';

const EXAMPLE = `curl -s ${location.origin}/api-keys \\
  -H 'x-api-key: <ACCESS_KEY>' \\
  -H 'content-type: application/json' \\
  -d '{"name":"my first key"}'`;

/** Until people can sign in here, the page says what can be done, and how. */
export function FirstSteps() {
  const product = useProduct();
  return (
    <main>
      <h1>Keyward</h1>
      <p role="status">{product}</p>
      <p>
        Keys are managed through the API and the command line. Signing in here is not built yet; a
        link for the first owner, printed at the first start, keeps its worth until then.
      </p>
      <pre>
        <code>{EXAMPLE}</code>
      </pre>
      <p>
        <a href="/docs">Read and try the API</a>
      </p>
    </main>
  );
}
