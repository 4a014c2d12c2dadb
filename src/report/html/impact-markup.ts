import type { Impact } from '../../model/plan.ts';
import { oneLine } from '../safe.ts';
import { type Effect, impactUnknown, impactWords, movedWords, moves } from '../words.ts';
import { html, type Markup } from './markup.ts';

/** The units of a bar's width. */
const barWidth = 1000;

/** What a changed search finds before and after, in two bars and in words. */
export function impactMarkup(impact: Impact | undefined): Markup {
  if (!impact) return html``;
  if ('notRun' in impact) {
    return html`<ul class="notices"><li class="warning">${impactUnknown}. ${oneLine(impact.notRun)}</li></ul>`;
  }
  const lines = moves.flatMap((move) => {
    const moved = movedWords(impact, move);
    return moved === null ? [] : [html`<li class="${move}">${oneLine(moved)}</li>`];
  });
  return html`<figure class="impact"><figcaption>The search ${impactWords(impact)}</figcaption>
${barsMarkup(impact)}
${lines.length === 0 ? '' : html`<ul>${lines}</ul>`}</figure>
`;
}

/** Hidden from screen readers: the words beside the bars say the same. */
function barsMarkup({ before, after, enter, leave }: Effect): Markup {
  const most = Math.max(before, after);
  if (most === 0) return html``;
  const toUnits = (count: number) => Math.round((Math.min(Math.max(count, 0), most) / most) * barWidth);
  const stay = toUnits(after - enter.count);
  return html`<svg aria-hidden="true" viewBox="0 0 ${barWidth} 20" preserveAspectRatio="none">
<rect class="stay" y="0" height="8" width="${stay}"/><rect class="leave" y="0" height="8" x="${stay}" width="${toUnits(leave.count)}"/>
<rect class="stay" y="12" height="8" width="${stay}"/><rect class="enter" y="12" height="8" x="${stay}" width="${toUnits(enter.count)}"/>
</svg>`;
}
