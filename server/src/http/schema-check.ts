import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { type ErrorCode, KeywardError } from '../kernel/errors.ts';

/** Bodies are JSON and mean what they say; queries and paths are text, read as the schema wants it. */
const options = { strict: true, allErrors: false, validateFormats: false } as const;
const bodies = new Ajv({ ...options, coerceTypes: false, allowUnionTypes: true });
const texts = new Ajv({ ...options, coerceTypes: true });

const CODES: Record<string, ErrorCode> = {
  body: 'invalid_body',
  querystring: 'invalid_query',
  params: 'invalid_path',
};

/** Throws an error of the catalogue whose message names the field and what it must be. */
export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const check: ValidateFunction = (httpPart === 'body' ? bodies : texts).compile(schema);
  const code = CODES[httpPart ?? 'body'] ?? 'invalid_request';
  // Fastify hands a body that was left out to its check as null.
  const mayBeMissing = httpPart === 'body' && '~optional' in schema;
  return (value: unknown) => {
    if (mayBeMissing && value === null) return true;
    if (check(value)) {
      const endless = endlessField(value);
      if (endless === undefined) return true;
      return { error: new KeywardError(code, `${endless} must be a number with an end.`) };
    }
    return { error: new KeywardError(code, explain(check.errors![0]!, httpPart ?? 'body')) };
  };
};

/** Ajv reads the text 1e309 as Infinity, and asks nothing of a number that is not finite. */
function endlessField(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found = Object.entries(value).find(
    ([, held]) => typeof held === 'number' && !Number.isFinite(held),
  );
  return found?.[0];
}

const PART_NAMES: Record<string, string> = { body: 'The body', querystring: 'The query' };

function explain(error: ErrorObject, part: string): string {
  const field = error.instancePath.slice(1).replaceAll('/', '.');
  const where = field === '' ? (PART_NAMES[part] ?? 'The path') : field;
  const { params } = error;
  const inside = (name: string) => (field === '' ? name : `${field}.${name}`);
  switch (error.keyword) {
    case 'additionalProperties':
      return `${where} has the unknown field ${JSON.stringify(params.additionalProperty)}.`;
    case 'required':
      return `${inside(params.missingProperty)} is missing.`;
    case 'type':
      return `${where} must be ${article(params.type)}.`;
    case 'const':
      return `${where} must be ${JSON.stringify(params.allowedValue)}.`;
    case 'enum':
      return `${where} must be one of ${params.allowedValues.join(', ')}.`;
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
      return `${where} must be at most ${params.limit}.`;
    case 'minProperties':
      return `${where} must say at least one thing to change.`;
    case 'uniqueItems':
      return `${where} has the same item twice.`;
    case 'pattern':
      return `${where} may hold only letters, digits and . _ ~ -`;
    default:
      return `${where} ${error.message ?? 'is not valid'}.`;
  }
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

function article(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
