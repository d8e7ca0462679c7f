import type { Route } from '../../kernel/route.ts';
import type { ChangeStreams } from './hub.ts';
import { streamChanges } from './routes/stream-changes.ts';

export { ChangeStreams } from './hub.ts';

export const changeStreamRoutes = (streams: ChangeStreams): Route[] => [streamChanges(streams)];
