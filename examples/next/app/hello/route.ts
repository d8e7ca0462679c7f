import { withKey } from '../../keyward';

export const GET = withKey((_request, { keyward }) =>
  Response.json({ hello: keyward.record?.name }),
);
