/** The page's one script, served as a file of its own. Whatever it shows, it shows as text. */
export const script = `'use strict';
const root = document.documentElement;
const find = (id) => document.getElementById(id);
const token = document.querySelector('meta[name="token"]').content;
const mediums = { EMAIL: 'E-mail', SLACK: 'Slack', TEAMS: 'Teams' };
const bases = { tenant: 'in the tenant', default: "the vendor's default", nothing: '', 'not-read': '' };
const state = { templates: [], environment: '', selected: null, typed: new Map(), width: 700, turn: 0, shown: '' };

function element(name, more, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(more)) {
    if (key === 'class') made.className = value;
    else if (key === 'text') made.textContent = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter(Boolean));
  return made;
}

async function ask(path, body) {
  const response = await fetch(path, {
    method: body ? 'POST' : 'GET',
    headers: { 'x-preview-token': token, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/** A long key breaks after its underscores. */
const breakable = (key) => key.split(/(?<=_)/).flatMap((part) => [part, document.createElement('wbr')]);

function setLive(text, isOn) {
  find('live').textContent = text;
  root.classList.toggle('on', isOn);
}

function problemItem(problem) {
  const kind = problem.severity === 'error' ? 'danger' : problem.severity;
  return element('li', { class: kind },
    element('strong', { text: problem.severity === 'info' ? 'note' : problem.severity }), ' ',
    problem.place && element('code', { text: problem.place }), problem.place && ' ',
    problem.message + ' ',
    element('code', { class: 'slug', text: problem.code }),
    problem.excerpt && problem.severity !== 'info' && element('pre', { text: problem.excerpt }),
    problem.hint && element('p', { text: problem.hint }));
}

function showAlerts({ isBroken, problems }) {
  const alerts = find('alerts');
  alerts.hidden = problems.length === 0;
  alerts.replaceChildren(
    element('h2', { text: isBroken ? 'The project does not load. What is shown is the last state that did.' : 'Remarks' }),
    element('ul', { class: 'notices' }, ...problems.map(problemItem)));
  alerts.classList.toggle('broken', isBroken);
}

const matches = (template, words) => {
  const text = [template.key, template.medium, mediums[template.medium], template.locale].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
};

function showList() {
  const words = find('filter').value.toLowerCase().split(/\\s+/).filter(Boolean);
  const shown = state.templates.filter((template) => matches(template, words));
  const keys = new Map();
  for (const template of shown) keys.set(template.key, [...(keys.get(template.key) ?? []), template]);
  const focused = document.activeElement?.dataset?.address;
  find('list').replaceChildren(...[...keys].map(([key, templates], index) =>
    element('section', { 'aria-labelledby': 'k' + index },
      element('h2', { id: 'k' + index }, ...breakable(key)),
      element('ul', {}, ...templates.map(linkItem)))));
  if (shown.length === 0) find('list').append(element('p', { class: 'none', text: state.templates.length === 0 ? 'Nothing to list.' : 'No template matches.' }));
  if (focused) links().find((link) => link.dataset.address === focused)?.focus();
}

function linkItem(template) {
  const link = element('a', { href: '#' + encodeURIComponent(template.address), 'data-address': template.address },
    element('span', { class: 'medium ' + (mediums[template.medium] ?? '').toLowerCase().replace('-', ''), text: mediums[template.medium] ?? template.medium }),
    element('span', { class: 'locale', text: template.locale }),
    element('span', { class: 'marks' },
      template.problems.length > 0 && element('span', { class: 'count', text: String(template.problems.length), title: template.problems.length + ' remarks' }),
      template.differs && element('span', { class: 'changed', text: 'changed' })));
  if (template.address === state.selected) link.setAttribute('aria-current', 'page');
  return element('li', {}, link);
}

const links = () => [...document.querySelectorAll('#list a')];

function showTemplate() {
  const template = state.templates.find(({ address }) => address === state.selected);
  find('template').hidden = !template;
  find('empty').hidden = Boolean(template);
  if (!template) {
    find('empty').textContent = state.templates.length === 0
      ? 'The project declares no notification templates.'
      : state.selected ? 'This template is no longer declared.' : 'Choose a template.';
    return;
  }
  find('key').replaceChildren(...breakable(template.key));
  find('medium').textContent = mediums[template.medium] ?? template.medium;
  find('locale').textContent = template.locale;
  find('place').textContent = template.place;
  find('state').textContent = stateWords(template);
  find('state').classList.toggle('changed', template.differs);
  find('problems').hidden = template.problems.length === 0;
  find('problems').replaceChildren(...template.problems.map(problemItem));
  find('bar').hidden = template.medium !== 'EMAIL';
  showContext();
  document.title = template.key + ' (' + template.medium + ', ' + template.locale + ') · tenantctl preview';
  render(template);
}

function stateWords({ base, differs, isRemoved }) {
  if (base === 'not-read') return 'tenant not read';
  if (isRemoved) return 'goes back to the default';
  return differs ? 'differs from the tenant' : 'as in the tenant';
}

async function render(template) {
  const turn = ++state.turn;
  find('busy').textContent = 'Rendering …';
  root.classList.add('rendering');
  try {
    const { address } = template;
    const answer = await ask('/api/render', { address, context: state.typed.get(address)?.value ?? null });
    if (turn !== state.turn) return;
    if (!state.typed.has(address)) find('context').value = JSON.stringify(answer.context, null, 2);
    showSides(template, answer);
    find('busy').textContent = '';
  } catch (error) {
    if (turn === state.turn) find('busy').textContent = error.message;
  } finally {
    if (turn === state.turn) root.classList.remove('rendering');
  }
}

function showSides(template, { before, after }) {
  const shown = JSON.stringify([template.address, template.base, template.isRemoved, before, after]);
  if (shown === state.shown) return;
  state.shown = shown;
  const hasBefore = template.base !== 'not-read';
  const sides = find('sides');
  sides.classList.toggle('single', !hasBefore);
  sides.replaceChildren(
    ...(hasBefore ? [sideFigure('Before', bases[template.base], before, null)] : []),
    sideFigure('After', template.isRemoved ? "the vendor's default" : 'as declared', after, hasBefore ? before : null, template.isRemoved));
  fit();
}

function sideFigure(title, words, side, other, isRemoved) {
  const caption = element('figcaption', {}, element('strong', { text: title }), ' ', element('span', { text: words }), element('span', { class: 'scale' }));
  if (!side) {
    const none = isRemoved ? "The vendor's default takes its place." : 'There is none.';
    return element('figure', {}, caption, element('p', { class: 'none', text: none }));
  }
  const frame = element('iframe', { sandbox: '', title: title + ', rendered', tabindex: '0' });
  frame.srcdoc = side.document;
  const viewport = element('div', { class: 'viewport' }, frame);
  return element('figure', {}, caption, side.head && headList(side.head, other && other.head), viewport);
}

function headList(head, old) {
  const row = (name, key) => {
    const isNew = old && old[key] !== head[key];
    if (head[key] === '' && key !== 'subject') return null;
    return element('div', { class: key + (isNew ? ' new' : '') }, element('dt', { text: name }), element('dd', { text: head[key] || 'no subject' }));
  };
  return element('dl', { class: 'mail' }, row('Subject', 'subject'), row('From', 'from'), row('Reply to', 'replyTo'));
}

/** A frame keeps the width it stands for and is scaled to what there is room for. */
function fit() {
  const template = state.templates.find(({ address }) => address === state.selected);
  const isMail = template?.medium === 'EMAIL';
  for (const viewport of document.querySelectorAll('.viewport')) {
    const room = viewport.clientWidth;
    const width = isMail ? state.width : Math.min(room, 640);
    const scale = Math.min(1, room / width);
    const height = isMail ? Math.max(440, Math.min(720, innerHeight - 330)) : 340;
    const frame = viewport.firstElementChild;
    frame.style.width = width + 'px';
    frame.style.height = height / scale + 'px';
    frame.style.transform = 'scale(' + scale + ')';
    viewport.style.height = height + 'px';
    frame.style.marginLeft = Math.max(0, (room - width * scale) / 2) + 'px';
    viewport.parentElement.querySelector('.scale').textContent = isMail ? width + ' px' + (scale < 1 ? ', shown at ' + Math.round(scale * 100) + ' %' : '') : '';
  }
}

async function refresh() {
  try {
    const answer = await ask('/api/templates');
    state.templates = answer.templates;
    find('environment').textContent = answer.environment;
    showAlerts(answer);
    const isThere = state.templates.some(({ address }) => address === state.selected);
    if (!isThere && state.selected === null) state.selected = state.templates[0]?.address ?? null;
    showList();
    showTemplate();
    setLive('Live', true);
  } catch (error) {
    setLive(error.message, false);
  }
}

function select() {
  const address = decodeURIComponent(location.hash.slice(1)) || null;
  if (address === state.selected) return;
  state.selected = address;
  showList();
  showTemplate();
}

function showTheme(dark) {
  root.dataset.theme = dark ? 'dark' : 'light';
  find('theme').setAttribute('aria-pressed', String(dark));
}

/** What was typed stays with its template; the last text that was JSON is what it is rendered with. */
function showContext() {
  const typed = state.typed.get(state.selected);
  if (typed && find('context').value !== typed.text) find('context').value = typed.text;
  find('context-state').textContent = typed ? 'your values' : 'made-up values';
  find('context-error').textContent = typed?.error ?? '';
  find('context').setAttribute('aria-invalid', String(Boolean(typed?.error)));
}

function parseContext(text) {
  const value = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('It has to be a JSON object.');
  return value;
}

function readContext() {
  const text = find('context').value;
  const last = state.typed.get(state.selected)?.value ?? null;
  try {
    state.typed.set(state.selected, { text, value: parseContext(text), error: '' });
  } catch (error) {
    state.typed.set(state.selected, { text, value: last, error: error.message });
  }
}

let waiting = 0;
find('context').addEventListener('input', () => {
  readContext();
  showContext();
  clearTimeout(waiting);
  if (!state.typed.get(state.selected)?.error) waiting = setTimeout(showTemplate, 250);
});
find('reset').addEventListener('click', () => {
  clearTimeout(waiting);
  state.typed.delete(state.selected);
  showTemplate();
});
find('filter').addEventListener('input', showList);
find('list').addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = links();
  all[all.indexOf(document.activeElement) + step]?.focus();
});
for (const button of document.querySelectorAll('[data-width]')) {
  button.addEventListener('click', () => {
    state.width = Number(button.dataset.width);
    for (const other of document.querySelectorAll('[data-width]')) other.setAttribute('aria-pressed', String(other === button));
    fit();
  });
}
find('theme').addEventListener('click', () => showTheme(root.dataset.theme !== 'dark'));
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
  event.preventDefault();
  find('filter').focus();
});
addEventListener('hashchange', select);
addEventListener('resize', fit);
if (innerWidth < 500) document.querySelector('[data-width="375"]').click();
showTheme(matchMedia('(prefers-color-scheme: dark)').matches);
state.selected = decodeURIComponent(location.hash.slice(1)) || null;
const events = new EventSource('/events');
events.addEventListener('message', refresh);
events.addEventListener('error', () => setLive('The preview has ended', false));
`;
