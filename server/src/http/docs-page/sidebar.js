import { h } from './elements.js';
import { matches, titleOf } from './openapi.js';
import { methodBadge } from './operation.js';

const NARROW = matchMedia('(max-width: 55rem)');

/** The list of operations, its filter, and the mark on the one being read. */
export function sidebar(groups, extraSections) {
  const items = groups.flatMap(({ operations }) => operations.map(itemOf));
  const sections = groups.map(({ name, operations }) => ({
    links: items.filter(({ operation }) => operations.includes(operation)),
    section: h(
      'section',
      {},
      h('h2', {}, titleOf(name)),
      h(
        'ul',
        {},
        items.filter(({ operation }) => operations.includes(operation)).map(({ item }) => item),
      ),
    ),
  }));
  document
    .getElementById('menu-items')
    .replaceChildren(
      ...sections.map(({ section }) => section),
      ...extraSections.map(({ id, title }) =>
        h('p', { class: 'extra' }, h('a', { href: `#${id}` }, title)),
      ),
    );
  wireFilter(items, sections);
  wireMenuButton();
  markWhatIsRead(items);
}

function itemOf(operation) {
  const link = h(
    'a',
    { href: `#${operation.id}`, title: `${operation.method} ${operation.path}` },
    h('span', {}, operation.summary),
    methodBadge(operation.method),
  );
  return { operation, link, item: h('li', {}, link) };
}

function wireFilter(items, sections) {
  const input = document.getElementById('filter');
  const result = document.getElementById('filter-result');
  const shown = () => items.filter(({ item }) => !item.hidden);
  const apply = () => {
    for (const { item, operation } of items) item.hidden = !matches(operation, input.value);
    for (const { section, links } of sections)
      section.hidden = links.every(({ item }) => item.hidden);
    result.textContent = input.value === '' ? '' : `${shown().length} operations`;
  };
  input.addEventListener('input', apply);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      input.value = '';
      apply();
    }
    if (event.key === 'ArrowDown') shown()[0]?.link.focus();
    if (event.key === 'Enter') shown()[0]?.link.click();
  });
  document.addEventListener('keydown', (event) => {
    const writing = event.target.closest('input, textarea, select');
    if (event.key !== '/' || writing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    openMenu(true);
    input.focus();
    input.select();
  });
}

function openMenu(open) {
  document.body.classList.toggle('menu-open', open && NARROW.matches);
  document.getElementById('menu').setAttribute('aria-expanded', String(open && NARROW.matches));
}

function wireMenuButton() {
  const button = document.getElementById('menu');
  button.addEventListener('click', () => openMenu(button.getAttribute('aria-expanded') !== 'true'));
  document.getElementById('sidebar').addEventListener('click', (event) => {
    if (event.target.closest('a')) openMenu(false);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || button.getAttribute('aria-expanded') !== 'true') return;
    openMenu(false);
    button.focus();
  });
}

function markWhatIsRead(items) {
  const links = new Map(items.map(({ operation, link }) => [operation.id, link]));
  let marked;
  const observer = new IntersectionObserver(
    (entries) => {
      const entered = entries.find(({ isIntersecting }) => isIntersecting);
      if (!entered) return;
      marked?.removeAttribute('aria-current');
      marked = links.get(entered.target.id);
      marked?.setAttribute('aria-current', 'true');
      marked?.scrollIntoView({ block: 'nearest' });
    },
    { rootMargin: '-15% 0px -75% 0px' },
  );
  for (const id of links.keys()) observer.observe(document.getElementById(id));
}
