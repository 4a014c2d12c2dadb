import type { Impact } from '../../model/plan.ts';
import {
  type Effect,
  impactUnknown,
  impactWords,
  isStill,
  movedWords,
  moves,
  nobodyMoves,
} from '../impact.ts';
import { oneLine } from '../safe.ts';
import { html, type Markup } from './markup.ts';

/** Units across a bar. */
const width = 1000;

/** What a changed search finds before and after, as two bars and in words. */
export function impactMarkup(impact: Impact | undefined): Markup {
  if (!impact) return html``;
  if ('notRun' in impact) {
    return html`<ul class="notices"><li class="warning">${impactUnknown}. ${oneLine(impact.notRun)}</li></ul>`;
  }
  const words = isStill(impact) ? `${impactWords(impact)}: ${nobodyMoves}` : impactWords(impact);
  const lines = moves.flatMap((move) => {
    const moved = movedWords(impact, move);
    return moved === null ? [] : [html`<li class="${move}">${oneLine(moved)}</li>`];
  });
  return html`<figure class="impact"><figcaption>The search ${words}</figcaption>
${bars(impact)}
${lines.length === 0 ? '' : html`<ul>${lines}</ul>`}</figure>
`;
}

/** The words beside them say the same: to those who do not see them they are nothing. */
function bars({ before, after, enter, leave }: Effect): Markup {
  const most = Math.max(before, after);
  if (most === 0) return html``;
  const scaled = (count: number) => Math.round((Math.min(Math.max(count, 0), most) / most) * width);
  const stay = scaled(after - enter.count);
  return html`<svg aria-hidden="true" viewBox="0 0 ${width} 20" preserveAspectRatio="none">
<rect class="stay" y="0" height="8" width="${stay}"/><rect class="leave" y="0" height="8" x="${stay}" width="${scaled(leave.count)}"/>
<rect class="stay" y="12" height="8" width="${stay}"/><rect class="enter" y="12" height="8" x="${stay}" width="${scaled(enter.count)}"/>
</svg>`;
}
