import { Keyward } from 'keyward';
import { protect } from 'keyward/next';

const keyward = new Keyward({
  url: process.env.KEYWARD_URL ?? 'http://127.0.0.1:8080',
  accessKey: process.env.KEYWARD_ACCESS_KEY,
  onUnavailable: 'deny',
});

export const withKey = protect(keyward);
export const withDocumentsKey = protect(keyward, { permissions: 'documents.read' });
