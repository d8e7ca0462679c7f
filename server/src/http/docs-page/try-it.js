import { codeBlock, h, inline } from './elements.js';
import { jsonContent } from './openapi.js';
import { curlOf, missingIn, requestOf } from './request.js';
import { exampleOf, limitsOf, typeName } from './schema.js';

/** Kept here and nowhere else: gone with the page. */
let accessKey = '';

export function holdAccessKey(input) {
  input.form.addEventListener('submit', (event) => event.preventDefault());
  input.addEventListener('input', () => {
    accessKey = input.value.trim();
  });
}

/** The curl line of an operation and the form that fills it and sends the real thing. */
export function tryIt(document, operation) {
  const fields = operation.parameters.filter(({ name }) => name.toLowerCase() !== 'x-api-key');
  const result = h('div', { class: 'result', role: 'status', 'aria-live': 'polite' });
  const form = h(
    'form',
    { class: 'try', autocomplete: 'off', oninput: refresh, onsubmit: submit },
    fields.map((parameter) => parameterField(document, operation, parameter)),
    operation.body && bodyField(document, operation),
    h('button', { type: 'submit', class: `send ${operation.method}` }, `Send ${operation.method}`),
    h('span', { class: 'note' }, ' A real request to this server.'),
    result,
  );
  const curl = codeBlock('curl', '');
  const values = () => Object.fromEntries(new FormData(form));
  function refresh() {
    curl.update(curlOf(requestOf(operation, values()), location.origin));
  }
  async function submit(event) {
    event.preventDefault();
    const missing = missingIn(operation, values());
    if (missing.length > 0) {
      result.replaceChildren(h('p', { class: 'problem' }, `Fill in ${missing.join(', ')} first.`));
      return;
    }
    result.replaceChildren(h('p', {}, 'Sending…'));
    result.replaceChildren(...(await send(requestOf(operation, values()))));
  }
  refresh();
  return [curl.block, h('details', { class: 'try-it' }, h('summary', {}, 'Try it'), form)];
}

function parameterField(document, operation, { name, in: place, schema, required, description }) {
  const id = `${operation.id}-${place}-${name}`;
  const hint = [typeName(document, schema ?? {}), ...limitsOf(document, schema ?? {})].join(', ');
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id }, name, required && h('em', {}, ' required')),
    h('input', {
      id,
      name: `${place}.${name}`,
      spellcheck: 'false',
      'aria-describedby': `${id}-hint`,
    }),
    h('p', { id: `${id}-hint`, class: 'note' }, inline(`${place}, ${hint}. ${description ?? ''}`)),
  );
}

function bodyField(document, operation) {
  const id = `${operation.id}-body`;
  const schema = jsonContent(operation.body)?.schema ?? {};
  const example = JSON.stringify(exampleOf(document, schema, false), null, 2);
  const rows = Math.min(14, example.split('\n').length + 1);
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id }, 'Body'),
    h('textarea', { id, name: 'body', rows, spellcheck: 'false' }, example),
  );
}

async function send({ method, path, headers, body }) {
  const started = performance.now();
  try {
    // Without cookies: what is tried is the access key above, not whoever is signed in here.
    const answer = await fetch(path, {
      method,
      headers: accessKey === '' ? headers : [...headers, ['x-api-key', accessKey]],
      body,
      credentials: 'omit',
      cache: 'no-store',
    });
    const text = await answer.text();
    return showAnswer(answer, text, performance.now() - started);
  } catch (error) {
    return [h('p', { class: 'problem' }, `No answer: ${error.message}`)];
  }
}

function showAnswer(answer, text, tookMs) {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return [
    h(
      'p',
      { class: answer.ok ? 'fine' : 'problem' },
      h('strong', {}, `${answer.status} ${answer.statusText}`),
      ` in ${Math.round(tookMs)} ms`,
    ),
    codeBlock('Body', pretty(text)).block,
    codeBlock('Headers', headers).block,
  ];
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
