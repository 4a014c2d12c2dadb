import { find, startSwitch } from '../../report/html/browser/dom.ts';
import { Frames, fitAll } from '../../report/html/browser/frames.ts';
import type { Base, ListedTemplate, RenderedTemplate } from '../protocol.ts';
import { takePlace } from './place.ts';

const baseWords: Readonly<Record<Base, string>> = {
  tenant: 'in the tenant',
  default: "the vendor's default",
  nothing: '',
  'not-read': '',
};
/** Smaller windows begin with e-mails as wide as on a phone. */
const phoneWindow = 500;

const rendered = find('rendered', HTMLElement);
const sides = find('sides', HTMLElement);
const frames = new Frames();
/** What is shown, so that frames are not loaded again when nothing has changed. */
let shown = '';
let shownAddress = '';

/** Lets people choose the width and the look of e-mails, and one side or both. */
export function startSides(): void {
  frames.add(rendered);
  startSwitch('[data-pane]', ({ dataset }) => {
    rendered.dataset.pane = dataset.pane ?? '';
    fitAll(rendered);
  });
  if (innerWidth < phoneWindow) rendered.querySelector<HTMLElement>('[data-width="375"]')?.click();
}

/**
 * Shows a template before and after; only after where the tenant was not read.
 *
 * @param oldSince the time of the state that is shown where the files do not load; otherwise empty
 */
export function showSides(template: ListedTemplate, { markup }: RenderedTemplate, oldSince: string): void {
  const { address, medium, base, isRemoved } = template;
  const wanted = JSON.stringify([address, base, isRemoved, oldSince, markup]);
  if (wanted === shown) return;
  shown = wanted;
  const top = address === shownAddress ? scrollY : takePlace(address);
  shownAddress = address;
  rendered.classList.toggle('single', base === 'not-read');
  for (const mail of rendered.querySelectorAll<HTMLElement>('.mail')) mail.hidden = medium !== 'EMAIL';
  // The page keeps its height until the frames have theirs, so that it does not scroll.
  sides.style.minHeight = `${sides.offsetHeight}px`;
  // The server's templates wrote this markup and escaped all that is not theirs; the policy runs none of it.
  sides.innerHTML = markup;
  showWords(template, oldSince);
  frames.add(sides);
  void areLoaded().then(() => {
    if (wanted !== shown) return;
    sides.style.minHeight = '';
    scrollTo(0, top);
  });
}

/** Says of each side where it comes from. */
function showWords({ base, isRemoved }: ListedTemplate, oldSince: string): void {
  const after = isRemoved
    ? baseWords.default
    : oldSince === ''
      ? 'as declared'
      : `as declared at ${oldSince}`;
  for (const pair of sides.querySelectorAll('.frames')) {
    const captions = pair.querySelectorAll('.words');
    for (const [at, words] of [baseWords[base], after].entries()) {
      const caption = captions[at];
      if (caption) caption.textContent = words;
    }
  }
  const absent = sides.querySelector('figure:last-child .none');
  if (isRemoved && absent) absent.textContent = "The vendor's default takes its place.";
}

async function areLoaded(): Promise<void> {
  const loads = [...sides.querySelectorAll('iframe')].map(
    (frame) => new Promise((resolve) => frame.addEventListener('load', resolve, { once: true })),
  );
  await Promise.all(loads);
}
