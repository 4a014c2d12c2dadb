import { ageWords } from '../../../model/words.ts';
import { findAll, onClick, startTheme } from './dom.ts';
import { List } from './list.ts';

document.documentElement.classList.add('live');
startTheme();
startCopying();
showAges();
// A page without entries has no toolbar.
if (document.getElementById('text')) new List().start();

/** Says how long ago each time of the page was. The time itself is its title. */
function showAges(): void {
  for (const time of findAll('time', HTMLTimeElement)) {
    time.title = time.dateTime;
    time.textContent = ageWords(time.dateTime, Date.now()) || 'just now';
  }
}

/** Buttons that copy a text, or the link to a place in the page. */
function startCopying(): void {
  onClick('[data-copy]', (button) => {
    const say = (text: string) => {
      const before = button.dataset.name ?? button.textContent ?? '';
      button.dataset.name = before;
      button.textContent = text;
      setTimeout(() => {
        button.textContent = before;
      }, 1500);
    };
    const { copy = '' } = button.dataset;
    const text = copy.startsWith('#') ? new URL(copy, location.href).href : copy;
    // Some browsers refuse it in pages that are files.
    Promise.resolve(navigator.clipboard?.writeText(text)).then(
      () => say('Copied'),
      () => say('Not allowed here'),
    );
  });
}
