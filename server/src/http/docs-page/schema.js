import { resolve } from './openapi.js';

/** JSON Schema in words: what a field takes, its limits, and an example. Pure. */

const DEEPEST = 6;
/** More values than this are counted, not listed. */
const MANY = 20;

const isNull = (schema) => schema.type === 'null' || schema.const === null;

function choicesOf(document, schema) {
  const choices = schema.anyOf ?? schema.oneOf;
  return choices?.map((choice) => resolve(document, choice));
}

/** Puts `allOf` together, and leaves the null out of "this or null". */
function plain(document, value) {
  const schema = resolve(document, value);
  if (schema.allOf) return together(document, schema);
  const present = choicesOf(document, schema)?.filter((choice) => !isNull(choice));
  if (present?.length !== 1) return schema;
  const { anyOf, oneOf, ...own } = schema;
  return { ...plain(document, present[0]), ...own };
}

function together(document, { allOf, ...own }) {
  const parts = [own, ...allOf.map((part) => plain(document, part))];
  return Object.assign({}, ...parts, {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  });
}

export function typeName(document, value) {
  const schema = resolve(document, value);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum?.length > MANY) return `one of ${schema.enum.length} values`;
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  const choices = choicesOf(document, schema);
  if (choices) {
    const names = [...new Set(choices.map((choice) => typeName(document, choice)))];
    return names.join(names.every((name) => name.startsWith('"')) ? ' | ' : ' or ');
  }
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.type === 'array') return `array of ${typeName(document, schema.items)}`;
  if (schema.format) return `${schema.type} (${schema.format})`;
  return schema.type ?? (schema.properties || schema.allOf ? 'object' : 'any');
}

export function limitsOf(document, value) {
  const schema = plain(document, value);
  const range = (least, most, unit) => {
    if (least === undefined && most === undefined) return undefined;
    if (least === undefined) return `at most ${amount(most)}${unit}`;
    if (most === undefined) return `at least ${amount(least)}${unit}`;
    return `${amount(least)} to ${amount(most)}${unit}`;
  };
  return [
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minimum, schema.maximum, ''),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.pattern && `matches \`${schema.pattern}\``,
    schema.default !== undefined && `default \`${JSON.stringify(schema.default)}\``,
  ].filter(Boolean);
}

const amount = (number) => number.toLocaleString('en');

/** One row a field, those of inner objects after their own. `path` tells where it stands. */
export function fieldRows(document, value, path = [], depth = 0) {
  const schema = plain(document, value);
  if (depth > DEEPEST) return [];
  if (schema.type === 'array') {
    return fieldRows(
      document,
      schema.items,
      [...path.slice(0, -1), `${path.at(-1) ?? ''}[]`],
      depth + 1,
    );
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    {
      path: [...path, name],
      type: typeName(document, field),
      required: (schema.required ?? []).includes(name),
      limits: limitsOf(document, field),
      description: resolve(document, field).description ?? plain(document, field).description,
    },
    ...fieldRows(document, field, [...path, name], depth + 1),
  ]);
}

/** `whole`: with the fields that may be left out too, as an answer has them. */
export function exampleOf(document, value, whole, depth = 0) {
  const schema = plain(document, value);
  const given = schema.examples?.[0] ?? schema.example ?? schema.const ?? schema.default;
  if (given !== undefined) return given;
  if (schema.enum) return schema.enum[0];
  const choice = choicesOf(document, schema)?.[0];
  if (choice) return exampleOf(document, choice, whole, depth);
  if (schema.type === 'array') {
    return depth > DEEPEST ? [] : [exampleOf(document, schema.items, whole, depth + 1)];
  }
  if (schema.properties) return objectExample(document, schema, whole, depth);
  return scalarExample(schema);
}

function objectExample(document, schema, whole, depth) {
  const names = Object.keys(schema.properties).filter(
    (name) => whole || (schema.required ?? []).includes(name),
  );
  if (depth > DEEPEST) return {};
  return Object.fromEntries(
    names.map((name) => [name, exampleOf(document, schema.properties[name], whole, depth + 1)]),
  );
}

function scalarExample(schema) {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const id = /`([a-z]{2,3}_)…`/.exec(schema.description ?? '');
  if (id) return `${id[1]}01jz5n8w3e7xk2m4p6q8r0s2t4`;
  if (schema.format === 'date-time') return '2030-01-01T00:00:00.000Z';
  if (schema.format === 'email') return 'ada@example.com';
  if (schema.format === 'uri') return 'https://example.com/hook';
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0;
  return { boolean: true, null: null, object: {}, string: 'string' }[type] ?? null;
}
