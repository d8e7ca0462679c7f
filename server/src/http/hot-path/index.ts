/** The only entry of this folder, except for the backend of the server; README.md explains it. */

export { type FastHistogram, validationTimes } from './fast-histogram.ts';
export type { HotPath } from './hot-path.ts';
export { NEW_CONNECTION_MS, RawListener } from './raw-listener.ts';
export { validationsFirst } from './request-listener.ts';
export {
  type Forwarded,
  type TimedVerdict,
  type ValidationBackend,
  ValidationHandler,
} from './validation-handler.ts';
