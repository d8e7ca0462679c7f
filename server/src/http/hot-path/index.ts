/** The only entry of this folder; README.md explains it. */

export { type FastHistogram, validationTimes } from './fast-histogram.ts';
export { RawListener } from './raw-listener.ts';
export { validationsFirst } from './request-listener.ts';
export { ValidationHandler } from './validation-handler.ts';
