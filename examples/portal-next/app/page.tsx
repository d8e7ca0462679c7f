import { Keyward } from 'keyward';
import { Portal } from './portal';

// A new session for each visit.
export const dynamic = 'force-dynamic';

const url = process.env.KEYWARD_URL ?? 'http://127.0.0.1:8080';
const keyward = new Keyward({ url, accessKey: process.env.KEYWARD_ACCESS_KEY });

export default async function Page() {
  // Use the customer who is signed in to your application.
  const { token } = await keyward.portalSessions.create({ customAccountId: 'acme' });
  return (
    <main>
      <h1>Settings</h1>
      <Portal url={url} token={token} />
    </main>
  );
}
