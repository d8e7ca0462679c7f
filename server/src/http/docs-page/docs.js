import { h, prose } from './elements.js';
import { errorsOf, groupsOf, operationsOf, titleOf } from './openapi.js';
import { operationView } from './operation.js';
import { sidebar } from './sidebar.js';
import { holdAccessKey } from './try-it.js';

const content = document.getElementById('content');

holdAccessKey(document.getElementById('access-key'));
await start();

async function start() {
  try {
    const answer = await fetch('/openapi.json', { credentials: 'omit' });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    show(await answer.json());
  } catch (error) {
    content.replaceChildren(
      h('h1', {}, 'The description could not be read'),
      h('p', { class: 'problem', role: 'alert' }, error.message),
      h('button', { type: 'button', onclick: start }, 'Try again'),
    );
  }
}

function show(description) {
  const operations = operationsOf(description);
  const groups = groupsOf(description, operations);
  const errors = errorsOf(description, operations);
  const version = description.info['x-keyward-version'];
  document.title = description.info.title;
  document.getElementById('version').textContent = version ?? description.info.version;
  content.replaceChildren(
    h(
      'section',
      { class: 'intro' },
      h('h1', {}, description.info.title),
      prose(description.info.description),
      h(
        'p',
        { class: 'note' },
        `Interface version ${description.info.version}. Machine-readable: `,
        h('a', { href: '/openapi.json' }, '/openapi.json'),
        '. Press ',
        h('kbd', {}, '/'),
        ' to find an operation.',
      ),
    ),
    ...groups.map((group) => groupView(description, group)),
    ...(errors.length > 0 ? [errorsView(errors)] : []),
  );
  sidebar(groups, errors.length > 0 ? [{ id: 'errors', title: 'Error codes' }] : []);
  followHash();
  addEventListener('hashchange', followHash);
}

function groupView(description, { name, description: told, operations }) {
  return h(
    'section',
    { class: 'group' },
    h('h2', {}, titleOf(name)),
    prose(told),
    operations.map((operation) => operationView(description, operation)),
  );
}

function errorsView(errors) {
  return h(
    'section',
    { class: 'group', id: 'errors', tabindex: '-1' },
    h('h2', {}, 'Error codes'),
    h('p', {}, 'Build on the status and the code; the message is for people and may change.'),
    h(
      'table',
      { class: 'errors' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ['Code', 'Status', 'Message'].map((title) => h('th', { scope: 'col' }, title)),
        ),
      ),
      h(
        'tbody',
        {},
        errors.map(({ code, status, message }) =>
          h(
            'tr',
            { id: `error-${code}`, tabindex: '-1' },
            h('th', { scope: 'row' }, h('code', {}, code)),
            h('td', {}, String(status)),
            h('td', {}, message),
          ),
        ),
      ),
    ),
  );
}

/** The page is made after it has loaded, so the browser could not go to the place by itself. */
function followHash() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  target.scrollIntoView();
  target.focus({ preventScroll: true });
}
