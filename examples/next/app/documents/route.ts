import { withDocumentsKey } from '../../keyward';

export const GET = withDocumentsKey(() => Response.json({ documents: [] }));
