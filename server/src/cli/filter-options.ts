import type { OptionSpecs } from './command.ts';

export const PROJECT_OPTION = { value: 'ID', help: 'Only keys of this project' } as const;

/** Which keys a report is about. */
export const KEY_OPTIONS = {
  project: PROJECT_OPTION,
  key: { value: 'KEY', help: 'Only this key: its id or value' },
  customer: { value: 'ID', help: 'Only keys with this customAccountId' },
} as const satisfies OptionSpecs;

/** Of lists of what happened. */
export const TIME_OPTIONS = {
  from: { value: 'TIME', help: 'From this time on: 2030-01-01, or 2030-01-01T12:00:00Z' },
  to: { value: 'TIME', help: 'Before this time' },
  follow: { help: 'Print the last ten, then new ones as they happen; stop with Ctrl-C' },
} as const satisfies OptionSpecs;
