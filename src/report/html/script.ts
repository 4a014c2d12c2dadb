/** The page's one script; its hash is in the page's policy. */
export const script = `'use strict';
const root = document.documentElement;
root.classList.add('live');
const find = (id) => document.getElementById(id);
const entries = [...document.querySelectorAll('.entry')];
const groups = [...document.querySelectorAll('.group')];
const tiles = [...document.querySelectorAll('button[data-filter]')];
const views = [...document.querySelectorAll('button[data-view]')];
const press = (button, on) => button.setAttribute('aria-pressed', String(on));
const isPressed = (button) => button.getAttribute('aria-pressed') === 'true';
const texts = new Map();
const textOf = (entry) => {
  if (!texts.has(entry)) texts.set(entry, entry.textContent.toLowerCase());
  return texts.get(entry);
};

function filter() {
  const words = find('text').value.toLowerCase().split(/\\s+/).filter(Boolean);
  const group = find('group').value;
  const categories = tiles.filter(isPressed).map((tile) => tile.dataset.filter);
  let shown = 0;
  for (const entry of entries) {
    const matches =
      (group === '' || entry.dataset.group === group) &&
      (categories.length === 0 || categories.includes(entry.dataset.category)) &&
      words.every((word) => textOf(entry).includes(word));
    entry.hidden = !matches;
    if (matches) shown += 1;
  }
  for (const section of groups) section.hidden = !section.querySelector('.entry:not([hidden])');
  find('nothing').hidden = shown > 0;
  find('count').textContent = shown + ' of ' + entries.length;
}

function openAll(open) {
  for (const entry of entries) if (!entry.hidden) entry.open = open;
}

function showTheme(dark) {
  root.dataset.theme = dark ? 'dark' : 'light';
  press(find('theme'), dark);
}

function fill(place) {
  if (place.firstChild) return;
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', '');
  frame.title = place.dataset.title;
  frame.srcdoc = place.dataset.document;
  place.append(frame);
}

// Few are there at once, for printing too; of many, those in sight.
const places = [...document.querySelectorAll('.frame')];
if (places.length <= 100) places.forEach(fill);
else {
  const watcher = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        if (isIntersecting) fill(target);
        else target.replaceChildren();
      }
    },
    { rootMargin: '100% 0px' },
  );
  for (const place of places) watcher.observe(place);
}

showTheme(matchMedia('(prefers-color-scheme: dark)').matches);
find('theme').addEventListener('click', () => showTheme(root.dataset.theme !== 'dark'));
if (find('text')) {
  let waiting = 0;
  find('text').addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  find('group').addEventListener('change', filter);
  find('expand').addEventListener('click', () => openAll(true));
  find('collapse').addEventListener('click', () => openAll(false));
  for (const tile of tiles) {
    tile.addEventListener('click', () => {
      press(tile, !isPressed(tile));
      filter();
    });
  }
  for (const view of views) {
    view.addEventListener('click', () => {
      root.dataset.view = view.dataset.view;
      for (const other of views) press(other, other === view);
    });
  }
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    find('text').focus();
  });
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = entries.filter((entry) => !entry.hidden && !entry.open);
    for (const entry of closed) entry.open = true;
  });
  addEventListener('afterprint', () => {
    for (const entry of closed) entry.open = false;
  });
  filter();
}
`;
