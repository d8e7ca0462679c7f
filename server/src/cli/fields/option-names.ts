import { type Fields, fieldsOf, inputName } from '@keyward/rules/resources/field.ts';
import { DESCRIPTIONS } from '@keyward/rules/resources/index.ts';

/** Fields of the API and their command-line options. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ['projectId', '--project'],
  ['accountId', '--account'],
  ['clientIP', '--ip'],
  ['graceSeconds', '--grace'],
  ...Object.values<Fields>(DESCRIPTIONS).flatMap((fields) =>
    fieldsOf(fields).map(([name, field]) => [inputName(name, field), `--${field.option}`] as const),
  ),
]);

/** The option for a field, or the word itself. */
export const optionFor = (word: string): string => OPTIONS.get(word) ?? word;

/** The text with `field` replaced by its option. */
export const withOptions = (text: string): string =>
  text.replace(/`(\w+)`/g, (quoted, word) => OPTIONS.get(word) ?? quoted);
