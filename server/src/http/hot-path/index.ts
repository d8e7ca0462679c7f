/** The only entry of this folder, except for the handler of the server; README.md explains it. */

export { type FastHistogram, validationTimes } from './fast-histogram.ts';
export type { Handling, HotPath, ValidationRequest } from './hot-path.ts';
export { RawListener } from './raw-listener.ts';
export { validationsFirst } from './request-listener.ts';
export type { ResponseWriter } from './response-writer.ts';
