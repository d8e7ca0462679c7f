import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { closestField } from './suggestions.ts';

/** The characters of key values and prefixes. */
export const KEY_CHARACTERS = '^[A-Za-z0-9._~-]+$';

/** A test checks that our schemas are valid; checking them here would delay the first requests after a start. */
const unchecked = { meta: false, validateSchema: false } as const;

/** Bodies are JSON; queries and paths are text, converted to the types of the schema. */
const options = {
  strict: true,
  allErrors: false,
  validateFormats: false,
  // Errors then contain their schema, which suggestions need.
  verbose: true,
  ...unchecked,
} as const;
const VALIDATORS = {
  json: new Ajv({ ...options, coerceTypes: false, allowUnionTypes: true }),
  text: new Ajv({ ...options, coerceTypes: true }),
};

const FOLLOW_CURSORS = ' To read further, follow the cursor in the Link header of each page.';

/** Null if the value matches the schema; otherwise a message that names the field. */
export type Check = (value: unknown) => string | null;

/**
 * `whole` is the name of the value in messages, such as `The body`. The schema is compiled when first used:
 * compiling all schemas took a sixth of the time to start.
 */
export function createCheck(schema: object, as: 'json' | 'text', whole: string): Check {
  let compiled: ValidateFunction | undefined;
  return (value) => {
    compiled ??= VALIDATORS[as].compile(schema);
    const check = compiled;
    if (!check(value)) return explain(check.errors!, whole, as === 'text' ? 'parameter' : 'field');
    const infinite = infiniteField(value);
    return infinite === undefined ? null : `${infinite} must be a finite number.`;
  };
}

/** Ajv reads the text 1e309 as Infinity, and does not check numbers that are not finite. */
function infiniteField(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found = Object.entries(value).find(
    ([, fieldValue]) => typeof fieldValue === 'number' && !Number.isFinite(fieldValue),
  );
  return found?.[0];
}

function explain(errors: readonly ErrorObject[], whole: string, noun: string): string {
  const error = errors[0]!;
  const field = error.instancePath.slice(1).replaceAll('/', '.');
  const where = field === '' ? whole : field;
  const { params } = error;
  const inside = (name: string) => (field === '' ? name : `${field}.${name}`);
  switch (error.keyword) {
    case 'additionalProperties':
      return `${where} has the unknown ${noun} ${JSON.stringify(params.additionalProperty)}.${suggestion(error)}`;
    case 'required':
      return `${inside(params.missingProperty)} is missing.`;
    case 'type':
      return `${where} must be ${article(params.type)}.`;
    case 'const':
      // A union of constants has an error for each of them.
      return oneOf(
        where,
        errors
          .filter(
            ({ keyword, instancePath }) =>
              `${keyword}${instancePath}` === `const${error.instancePath}`,
          )
          .map((each) => each.params.allowedValue),
      );
    case 'enum':
      return oneOf(where, params.allowedValues);
    case 'minLength':
      return `${where} must have at least ${count(params.limit, 'character')}.`;
    case 'maxLength':
      return `${where} must have at most ${count(params.limit, 'character')}.`;
    case 'minItems':
      return `${where} must have at least ${count(params.limit, 'item')}.`;
    case 'maxItems':
      return `${where} must have at most ${count(params.limit, 'item')}.`;
    case 'minimum':
      return `${where} must be at least ${params.limit}.`;
    case 'maximum':
      return `${where} must be at most ${params.limit}.${where === 'offset' ? FOLLOW_CURSORS : ''}`;
    case 'minProperties':
      return `${where} must contain at least one field to change.`;
    case 'uniqueItems':
      return `${where} has the same item twice.`;
    case 'pattern':
      return params.pattern === KEY_CHARACTERS
        ? `${where} may contain only letters, digits and . _ ~ -`
        : `${where} does not have the required form.`;
    default:
      return `${where} ${error.message ?? 'is not valid'}.`;
  }
}

function suggestion({ params, parentSchema }: ErrorObject): string {
  const known = Object.keys(parentSchema?.properties ?? {});
  const meant = closestField(params.additionalProperty, known);
  return meant === null ? '' : ` Did you mean "${meant}"?`;
}

const oneOf = (where: string, values: readonly unknown[]): string =>
  `${where} must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}.`;

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

function article(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
