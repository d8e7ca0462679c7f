import { codeBlock, h, inline, prose } from './elements.js';
import { codesOf, jsonContent } from './openapi.js';
import { exampleOf, fieldRows, limitsOf, typeName } from './schema.js';
import { tryIt } from './try-it.js';

/** One operation: what it is on the left, how to call it on the right. */
export function operationView(document, operation) {
  const titleId = `${operation.id}-title`;
  return h(
    'article',
    { id: operation.id, class: 'operation', 'aria-labelledby': titleId, tabindex: '-1' },
    h(
      'div',
      { class: 'told' },
      h(
        'h3',
        { id: titleId },
        operation.summary,
        h('a', { class: 'anchor', href: `#${operation.id}`, 'aria-label': 'Link to this' }, '#'),
      ),
      h(
        'p',
        { class: 'address' },
        methodBadge(operation.method),
        h('code', {}, pathParts(operation.path)),
      ),
      credentialLine(operation),
      prose(operation.description),
      parametersPart(document, operation),
      bodyPart(document, operation),
      h('h4', {}, 'Answers'),
      operation.responses.map((response) => responsePart(document, response)),
    ),
    h('div', { class: 'shown' }, tryIt(document, operation), successExample(document, operation)),
  );
}

export const methodBadge = (method) => h('span', { class: `method ${method}` }, method);

/** Lets a long path break after its slashes. */
const pathParts = (path) =>
  path.split(/(?<=\/)/).flatMap((part, index) => (index === 0 ? [part] : [h('wbr'), part]));

function credentialLine(operation) {
  const scope = operation['x-keyward-scope'];
  if (!operation.needsCredential) return h('p', { class: 'scope' }, 'No credential needed.');
  if (!scope) return undefined;
  return h('p', { class: 'scope' }, 'Needs the scope ', h('code', {}, scope), '.');
}

function parametersPart(document, { parameters }) {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map(({ name, in: place, schema = {}, required, description }) => ({
    path: [name],
    type: `${typeName(document, schema)}, in ${place}`,
    required,
    limits: limitsOf(document, schema),
    description: description ?? schema.description,
  }));
  return [h('h4', {}, 'Parameters'), fieldTable('Parameters', rows)];
}

function bodyPart(document, { body }) {
  const schema = jsonContent(body)?.schema;
  if (!schema) return undefined;
  const title = body.required ? 'Body' : 'Body (may be left out)';
  return [h('h4', {}, title), prose(body.description), schemaView(document, schema, 'Body')];
}

function schemaView(document, schema, caption) {
  const rows = fieldRows(document, schema);
  const type = typeName(document, schema);
  if (rows.length === 0) return h('p', { class: 'type' }, h('code', {}, type));
  const lead =
    type === 'object' ? undefined : h('p', { class: 'type' }, h('code', {}, type), ' with');
  return [lead, fieldTable(caption, rows)];
}

function fieldTable(caption, rows) {
  return h(
    'table',
    { class: 'fields' },
    h('caption', { class: 'unseen' }, caption),
    h('thead', {}, h('tr', {}, columnHead('Field'), columnHead('Meaning'))),
    h('tbody', {}, rows.map(fieldRow)),
  );
}

/** Said to who cannot see the columns; to the eye they need no title. */
const columnHead = (title) => h('th', { scope: 'col' }, h('span', { class: 'unseen' }, title));

function fieldRow({ path, type, required, limits, description }) {
  const above = path.slice(0, -1).map((name) => `${name}.`);
  return h(
    'tr',
    {},
    h(
      'th',
      { scope: 'row' },
      h('code', {}, h('span', { class: 'above' }, above.join('')), path.at(-1)),
      required && h('em', {}, 'required'),
    ),
    h(
      'td',
      {},
      h(
        'span',
        { class: 'type' },
        [type, ...limits].flatMap((part) => [inline(part), ' · ']).slice(0, -1),
      ),
      description && h('p', {}, inline(description)),
    ),
  );
}

function responsePart(document, response) {
  const schema = jsonContent(response)?.schema;
  const isError = Number(response.status) >= 400;
  const codes = isError ? codesOf(document, response) : [];
  const headers = Object.keys(response.headers ?? {});
  return h(
    'details',
    { class: `answer ${isError ? 'error' : 'success'}` },
    h('summary', {}, h('strong', {}, response.status), ' ', inline(shortly(response, codes))),
    codes.length > 0 &&
      h(
        'p',
        { class: 'codes' },
        codes.map((code) => [codeLink(code), ' ']),
      ),
    headers.length > 0 &&
      h(
        'p',
        {},
        'Headers: ',
        headers.flatMap((name) => [h('code', {}, name), ' ']),
      ),
    schema && schemaView(document, schema, `Answer ${response.status}`),
  );
}

/** Without the list of codes that a description may end with: they follow, as links. */
const shortly = ({ description = '' }, codes) =>
  codes.length > 0 ? description.replace(/:\s*`.*$/s, '') : description;

const codeLink = (code) => h('a', { href: `#error-${code}` }, h('code', {}, code));

function successExample(document, { responses }) {
  const response = responses.find(({ status }) => status.startsWith('2'));
  const content = jsonContent(response);
  if (!content) return undefined;
  const given = content.example ?? Object.values(content.examples ?? {})[0]?.value;
  const example = given ?? exampleOf(document, content.schema ?? {}, true);
  return codeBlock(`Answer ${response.status}`, JSON.stringify(example, null, 2)).block;
}
