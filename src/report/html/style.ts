import { palette } from './palette.ts';

/** The page's one style sheet; its hash is in the page's policy. */
export const style = `
${palette.trim()}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
code, pre, .code, .fields del, .fields ins { font-family: var(--mono); font-size: .87em; overflow-wrap: anywhere; }
header.top, main, footer { max-width: 1240px; margin: 0 auto; padding: 0 24px; }
header.top { display: flex; align-items: flex-start; justify-content: space-between; gap: 16px; padding-top: 32px; }
h1 { margin: 0; font-size: 30px; line-height: 1.2; letter-spacing: -.02em; overflow-wrap: anywhere; }
h2 { margin: 32px 0 10px; font-size: 17px; letter-spacing: -.01em; }
h2 small { margin-left: 6px; color: var(--soft); font-size: 13px; font-weight: 400; letter-spacing: 0; }
.eyebrow { margin: 0 0 2px; color: var(--soft); font-size: 13px; font-weight: 600; }
.subtitle { margin: 4px 0 0; color: var(--soft); font-size: 14px; overflow-wrap: anywhere; }
a { color: var(--blue); }
button, select, input { font: inherit; font-size: 14px; color: inherit; background: var(--card); border: 1px solid var(--rule); border-radius: 7px; padding: 6px 12px; min-height: 34px; }
button { cursor: pointer; }
button:hover, select:hover { border-color: var(--soft); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
#entries:focus { outline: none; }
.skip { position: absolute; left: -999px; top: 8px; padding: 8px 12px; background: var(--card); z-index: 9; }
.skip:focus { left: 8px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:root:not(.live) .js { display: none; }
#theme[aria-pressed="true"] { background: var(--text); color: var(--page); }
.alarm { margin: 24px 0 0; padding: 14px 18px; border-radius: 10px; background: var(--red-tint); color: var(--red); border: 1px solid currentcolor; font-size: 17px; }
.tiles { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 12px; margin: 24px 0 0; padding: 0; list-style: none; }
.tile { display: block; width: 100%; height: 100%; padding: 12px 16px; text-align: left; background: var(--card); border: 1px solid var(--rule); border-radius: 10px; color: var(--soft); }
.tile b { display: block; font-size: 28px; line-height: 1.15; font-weight: 650; font-variant-numeric: tabular-nums; letter-spacing: -.02em; }
.tile span { font-size: 14px; }
button.tile b { color: var(--tone); }
button.tile span { color: var(--text); }
button.tile[aria-pressed="true"] { background: var(--tint); border-color: var(--tone); box-shadow: inset 0 0 0 1px var(--tone); }
.create, .done { --tone: var(--green); --tint: var(--green-tint); }
.update, .skipped, .notAttempted { --tone: var(--amber); --tint: var(--amber-tint); }
.delete, .failed { --tone: var(--red); --tint: var(--red-tint); }
.manual, .unknown { --tone: var(--purple); --tint: var(--purple-tint); }
.toolbar { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin: 20px -24px 0; padding: 10px 24px; background: var(--page); border-bottom: 1px solid var(--rule); }
.toolbar label { flex: 0 1 auto; }
.toolbar label.grow { flex: 1 1 170px; }
.toolbar select { max-width: 100%; }
.grow input { width: 100%; }
.switch { display: flex; }
.switch button { border-radius: 0; margin-left: -1px; }
.switch button:first-child { border-radius: 7px 0 0 7px; margin-left: 0; }
.switch button:last-child { border-radius: 0 7px 7px 0; }
.switch button[aria-pressed="true"] { background: var(--blue-tint); color: var(--blue); border-color: currentcolor; z-index: 1; }
#count { margin: 0 0 0 auto; min-width: 5.5em; text-align: right; color: var(--soft); font-size: 14px; font-variant-numeric: tabular-nums; }
.empty { margin: 32px 0; padding: 40px; text-align: center; color: var(--soft); background: var(--card); border: 1px solid var(--rule); border-radius: 10px; }
.entry { margin-bottom: 8px; background: var(--card); border: 1px solid var(--rule); border-radius: 10px; content-visibility: auto; contain-intrinsic-size: auto 46px; }
.entry > summary { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; padding: 10px 14px; cursor: pointer; list-style: none; border-radius: 10px; }
.entry > summary::-webkit-details-marker { display: none; }
.entry > summary::before { content: ""; flex: none; width: 7px; height: 7px; margin: 0 3px 0 1px; border: solid var(--soft); border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg); }
.entry[open] > summary::before { transform: rotate(45deg); }
.entry > summary:hover .address { text-decoration: underline; text-underline-offset: 3px; }
.entry > summary:focus-visible { outline-offset: -2px; }
.badge { flex: none; min-width: 82px; padding: 1px 9px; border-radius: 6px; background: var(--tint); color: var(--tone); font-size: 13px; font-weight: 600; }
.badge b { display: inline-block; width: 1.1em; font-family: var(--mono); }
.address { font-size: 14px; font-weight: 600; }
.address span { color: var(--soft); font-weight: 400; }
.risk { padding: 1px 8px; border-radius: 6px; color: var(--amber); background: var(--amber-tint); font-size: 12px; font-weight: 650; }
.risk.grave { color: var(--card); background: var(--red); }
.symbol { flex: none; width: 1em; font-family: var(--mono); text-align: center; }
.where { margin-left: auto; color: var(--soft); font: 13px var(--mono); overflow-wrap: anywhere; }
.body { padding: 4px 14px 14px; border-top: 1px solid var(--rule); }
.body > :last-child, .notices li:last-child { margin-bottom: 0; }
.meta { display: flex; flex-wrap: wrap; gap: 2px 24px; margin: 10px 0; color: var(--soft); font-size: 14px; }
.meta div { display: flex; gap: 6px; }
.meta dd { margin: 0; }
.notices { margin: 10px 0; padding: 0; list-style: none; }
.notices li { margin-bottom: 6px; padding: 7px 12px; border-radius: 7px; white-space: pre-line; overflow-wrap: anywhere; }
.notices strong { margin-right: 4px; }
.notices p, .notices pre { margin: 4px 0 0; }
.notices .danger { background: var(--red-tint); color: var(--red); }
.notices .warning { background: var(--amber-tint); color: var(--amber); }
.notices .task { background: var(--purple-tint); color: var(--purple); }
.notices .info { background: var(--blue-tint); color: var(--blue); }
.scroll { overflow-x: auto; margin: 10px 0; border: 1px solid var(--rule); border-radius: 8px; }
.fields { width: 100%; border-collapse: collapse; }
.fields th, .fields td { padding: 6px 12px; text-align: left; vertical-align: top; border-top: 1px solid var(--rule); font-weight: 400; }
.fields thead th { border-top: 0; color: var(--soft); font-size: 13px; background: var(--sunk); }
.fields th:first-child { width: 26%; }
.fields td { width: 37%; }
del, ins { text-decoration: none; }
.fields del { color: var(--red); background: var(--red-tint); border-radius: 4px; padding: 1px 5px; }
.fields ins { color: var(--green); background: var(--green-tint); border-radius: 4px; padding: 1px 5px; }
.none { color: var(--soft); font-size: 14px; }
.origin { margin-left: 8px; padding: 0 7px; border-radius: 6px; font-size: 12px; color: var(--soft); border: 1px solid var(--rule); white-space: nowrap; }
.origin.tenant, .origin.both { color: var(--amber); background: var(--amber-tint); border-color: transparent; }
.fields .origin { display: inline-block; margin-left: 0; }
figure { margin: 10px 0; min-width: 0; }
.diff { border: 1px solid var(--rule); border-radius: 8px; overflow: hidden; }
figcaption { padding: 6px 12px; font-size: 14px; }
.diff figcaption { background: var(--sunk); border-bottom: 1px solid var(--rule); }
.code { line-height: 1.55; }
.pair { display: grid; grid-template-columns: minmax(0, 1fr); }
.twin { display: none; }
.line { display: grid; grid-template-columns: 3.6em 1.6em minmax(0, 1fr); }
.line i { padding-right: 8px; text-align: right; font-style: normal; color: var(--soft); user-select: none; }
.line b { font-weight: 400; text-align: center; user-select: none; }
.line > :last-child { white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; padding-right: 8px; }
.old { background: var(--red-tint); }
.new { background: var(--green-tint); }
.old b { color: var(--red); }
.new b { color: var(--green); }
mark { color: inherit; border-radius: 3px; }
.old mark { background: var(--red-mark); }
.new mark { background: var(--green-mark); }
.v { color: var(--purple); }
.t { color: var(--blue); }
.k { color: var(--blue); }
.gap { padding: 0 12px; color: var(--soft); background: var(--sunk); border-block: 1px solid var(--rule); }
.note { margin: 0; padding: 5px 12px; color: var(--amber); background: var(--amber-tint); font-size: 13px; }
.frames { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; margin: 10px 0; }
.frames figure { margin: 0; border: 1px solid var(--rule); border-radius: 8px; overflow: hidden; }
html:not(.live) .frames { display: none; }
.frame { height: 380px; border-top: 1px solid var(--rule); background: #ffffff; overflow: hidden; resize: vertical; }
iframe { display: block; width: 100%; height: 100%; border: 0; color-scheme: light; }
.impact { margin: 10px 0; }
.impact figcaption { padding: 0; border: 0; }
.impact svg { display: block; width: 100%; max-width: 420px; height: 20px; margin: 6px 0; }
.impact .stay { fill: var(--rule); }
.impact rect.enter { fill: var(--green); }
.impact rect.leave { fill: var(--red); }
.impact ul { margin: 0; padding-left: 20px; }
.impact li.enter { color: var(--green); }
.impact li.leave { color: var(--red); }
.requests { margin-top: 10px; }
.requests > summary { width: fit-content; cursor: pointer; color: var(--soft); font-size: 14px; }
.request { margin: 8px 0 4px; }
pre { margin: 0; padding: 10px 12px; background: var(--sunk); border: 1px solid var(--rule); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
.notices pre { background: transparent; border: 0; padding: 0; }
.slug { opacity: .85; }
footer { padding-top: 12px; padding-bottom: 32px; margin-top: 32px; }
footer code { user-select: all; }
footer .meta { flex-direction: column; border-top: 1px solid var(--rule); padding-top: 12px; font-size: 13px; }
@media (min-width: 641px) {
  [data-view="split"] .pair { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  [data-view="split"] .twin { display: block; }
  [data-view="split"] .side + .side { border-left: 1px solid var(--rule); }
  [data-view="split"] .line { grid-template-columns: 3em 1.4em minmax(0, 1fr); }
}
@media (max-width: 640px) {
  header.top, main, footer { padding-left: 14px; padding-right: 14px; }
  .toolbar { position: static; margin-inline: -14px; padding-inline: 14px; }
  .toolbar label, .toolbar select { flex-grow: 1; width: 100%; }
  .views { display: none; }
  .tiles { grid-template-columns: repeat(auto-fit, minmax(96px, 1fr)); gap: 8px; }
  .tile { padding: 8px 12px; }
  .tile b { font-size: 22px; }
  .where { margin-left: 0; flex-basis: 100%; }
  .fields { table-layout: fixed; }
  .fields th, .fields td { padding: 6px 8px; overflow-wrap: anywhere; }
  .fields .origin { white-space: normal; }
  .frames { grid-template-columns: minmax(0, 1fr); }
  .line { grid-template-columns: 2.6em 1.2em minmax(0, 1fr); }
}
@media print {
  :root, :root[data-theme] { color-scheme: light; }
  body { font-size: 11px; }
  .toolbar, #theme, .skip { display: none; }
  .entry { content-visibility: visible; }
  .entry > summary, .line { break-inside: avoid; }
  * { print-color-adjust: exact; }
}
@media (forced-colors: active) {
  .line.old, .line.new, .badge, .risk { border: 1px solid; }
}
`;
