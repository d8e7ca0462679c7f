import { ACCESS_KEY } from '@keyward/rules/resources/access-key.ts';
import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import { type Fields, fieldsOf, inputName } from '@keyward/rules/resources/field.ts';
import { PLAN } from '@keyward/rules/resources/plan.ts';
import { PROJECT } from '@keyward/rules/resources/project.ts';

const RESOURCES: readonly Fields[] = [API_KEY, ACCESS_KEY, CUSTOMER, PLAN, PROJECT];

/** Fields of the API and their command-line options. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ['projectId', '--project'],
  ['accountId', '--account'],
  ['clientIP', '--ip'],
  ['graceSeconds', '--grace'],
  ...RESOURCES.flatMap((fields) =>
    fieldsOf(fields).map(([name, field]) => [inputName(name, field), `--${field.option}`] as const),
  ),
]);

/** The option for a field, or the word itself. */
export const optionFor = (word: string): string => OPTIONS.get(word) ?? word;

/** The text with `field` replaced by its option. */
export const withOptions = (text: string): string =>
  text.replace(/`(\w+)`/g, (quoted, word) => OPTIONS.get(word) ?? quoted);
