export { changeStreamRoutes } from './routes.ts';
export { ChangeStreams } from './service.ts';
