import { find, findAll, startSwitch } from '../../report/html/browser/dom.ts';
import type { MailHead, RenderedSide } from '../../report/rendered.ts';
import type { Base, ListedTemplate, RenderedTemplate } from '../protocol.ts';
import { element } from './elements.ts';

const baseWords: Readonly<Record<Base, string>> = {
  tenant: 'in the tenant',
  default: "the vendor's default",
  nothing: '',
  'not-read': '',
};
/** Chat messages are as wide as there is room, up to this many pixels. */
const maxChatWidth = 640;
/** Smaller windows begin with e-mails as wide as on a phone. */
const phoneWindow = 500;

let isMail = false;
let mailWidth = 700;
/** What is shown, so that frames are not loaded again when nothing has changed. */
let shown = '';

/** Lets people choose the width of e-mails, and fits the frames again when the window changes. */
export function startSides(): void {
  const buttons = startSwitch('[data-width]', ({ dataset }) => {
    mailWidth = Number(dataset.width);
    fitFrames();
  });
  addEventListener('resize', fitFrames);
  if (innerWidth < phoneWindow) buttons.find(({ dataset }) => dataset.width === '375')?.click();
}

/**
 * Shows a template before and after; only after where the tenant was not read.
 *
 * @param oldSince the time of the state that is shown where the files do not load; otherwise empty
 */
export function showSides(
  template: ListedTemplate,
  { before, after }: RenderedTemplate,
  oldSince: string,
): void {
  const { address, medium, base, isRemoved } = template;
  const wanted = JSON.stringify([address, base, isRemoved, oldSince, before, after]);
  if (wanted === shown) return;
  shown = wanted;
  isMail = medium === 'EMAIL';
  const hasBefore = base !== 'not-read';
  const sides = find('sides', HTMLElement);
  sides.classList.toggle('single', !hasBefore);
  const previous = { title: 'Before', words: baseWords[base], side: before, absence: 'There is none.' };
  const next = {
    title: 'After',
    words: isRemoved ? baseWords.default : oldSince === '' ? 'as declared' : `as declared at ${oldSince}`,
    side: after,
    absence: isRemoved ? "The vendor's default takes its place." : 'There is none.',
  };
  if (hasBefore) sides.replaceChildren(sideFigure(previous, null), sideFigure(next, before));
  else sides.replaceChildren(sideFigure(next, null));
  fitFrames();
}

interface SideFigure {
  readonly title: string;
  readonly words: string;
  readonly side: RenderedSide | null;
  /** Shown where there is no side. */
  readonly absence: string;
}

/** @param previous the side that this one is compared with */
function sideFigure({ title, words, side, absence }: SideFigure, previous: RenderedSide | null): HTMLElement {
  const caption = element(
    'figcaption',
    {},
    element('strong', {}, title),
    ' ',
    element('span', {}, words),
    element('span', { class: 'scale' }),
  );
  if (!side) return element('figure', {}, caption, element('p', { class: 'none' }, absence));
  const frame = element('iframe', { sandbox: '', title: `${title}, rendered`, tabindex: '0' });
  frame.srcdoc = side.document;
  const head = side.head && headList(side.head, previous?.head ?? null);
  return element('figure', {}, caption, head, element('div', { class: 'viewport' }, frame));
}

function headList(head: MailHead, previous: MailHead | null): HTMLElement {
  const row = (title: string, name: keyof MailHead) => {
    const isNew = previous !== null && previous[name] !== head[name];
    if (head[name] === '' && name !== 'subject') return null;
    return element(
      'div',
      { class: isNew ? `${name} new` : name },
      element('dt', {}, title),
      element(
        'dd',
        head[name] === '' ? { class: 'missing' } : {},
        head[name] === '' ? 'no subject' : head[name],
      ),
    );
  };
  return element(
    'dl',
    { class: 'mail' },
    row('Subject', 'subject'),
    row('From', 'from'),
    row('Reply to', 'replyTo'),
    row('Inbox', 'preheader'),
  );
}

/** An e-mail keeps its width, and its frame is scaled to the room there is. */
function fitFrames(): void {
  for (const frame of findAll('.viewport iframe', HTMLIFrameElement)) {
    const viewport = frame.parentElement;
    if (!viewport) continue;
    const room = viewport.clientWidth;
    const width = isMail ? mailWidth : Math.min(room, maxChatWidth);
    const scale = Math.min(1, room / width);
    const height = isMail ? Math.max(440, Math.min(720, innerHeight - 330)) : 340;
    frame.style.width = `${width}px`;
    frame.style.height = `${height / scale}px`;
    frame.style.transform = `scale(${scale})`;
    frame.style.marginLeft = `${Math.max(0, (room - width * scale) / 2)}px`;
    viewport.style.height = `${height}px`;
    const label = viewport.parentElement?.querySelector('.scale');
    if (label) label.textContent = isMail ? scaleWords(width, scale) : '';
  }
}

function scaleWords(width: number, scale: number): string {
  return scale < 1 ? `${width} px, shown at ${Math.round(scale * 100)} %` : `${width} px`;
}
