import { palette } from '../report/html/palette.ts';

/** The page's one style sheet, served as a file of its own. */
export const style = `
${palette.trim()}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
code, pre, textarea { font-family: var(--mono); font-size: 13px; overflow-wrap: anywhere; }
p, ul, dl, dd, figure { margin: 0; padding: 0; }
ul { list-style: none; }
button, input { font: inherit; font-size: 14px; color: inherit; background: var(--card); border: 1px solid var(--rule); border-radius: 7px; padding: 5px 12px; min-height: 34px; }
button { cursor: pointer; }
button:hover { border-color: var(--soft); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -999px; top: 8px; padding: 8px 12px; background: var(--card); z-index: 9; }
.skip:focus { left: 8px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
header.top { position: sticky; top: 0; z-index: 3; display: flex; align-items: center; gap: 16px; height: 52px; padding: 0 20px; background: var(--card); border-bottom: 1px solid var(--rule); }
.brand { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.brand span { margin-left: 8px; color: var(--soft); }
.live { display: flex; align-items: center; gap: 7px; margin-left: auto; color: var(--soft); font-size: 14px; }
.dot { width: 8px; height: 8px; border-radius: 50%; background: var(--red); }
.on .dot { background: light-dark(#1f9d55, #4ad07f); }
#theme[aria-pressed="true"] { background: var(--text); color: var(--page); }
.columns { display: grid; grid-template-columns: 288px minmax(0, 1fr); align-items: start; }
nav { position: sticky; top: 52px; height: calc(100vh - 52px); padding: 16px 12px 24px; overflow-y: auto; border-right: 1px solid var(--rule); }
.filter input { width: 100%; margin-bottom: 4px; }
nav section { margin-top: 14px; }
nav h2 { margin: 0 0 2px; padding: 0 8px; font-size: 13px; font-weight: 600; line-height: 1.35; overflow-wrap: anywhere; color: var(--soft); }
nav a { display: flex; align-items: center; gap: 8px; padding: 4px 8px; border-radius: 7px; color: inherit; text-decoration: none; font-size: 14px; }
nav a:hover { background: var(--sunk); }
nav a[aria-current] { background: var(--blue-tint); color: var(--blue); font-weight: 600; }
.medium { min-width: 3.6em; }
.locale { color: var(--soft); font: 12.5px var(--mono); }
nav a[aria-current] .locale { color: inherit; }
.marks { display: flex; gap: 6px; margin-left: auto; font-size: 12px; font-weight: 600; }
.changed, .count { padding: 0 7px; border-radius: 6px; background: var(--amber-tint); color: var(--amber); }
.count { min-width: 20px; text-align: center; background: var(--sunk); color: var(--soft); }
main { padding: 20px 24px 48px; max-width: 1560px; }
h1 { margin: 0; font-size: 24px; line-height: 1.25; letter-spacing: -.015em; overflow-wrap: anywhere; }
.facts { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 14px; margin-top: 4px; color: var(--soft); font-size: 14px; }
.state { padding: 0 8px; border-radius: 6px; background: var(--sunk); font-size: 13px; font-weight: 600; }
.state.changed { background: var(--amber-tint); }
.notices { display: grid; gap: 6px; margin-top: 14px; }
.notices li { padding: 7px 12px; border-radius: 8px; white-space: pre-line; overflow-wrap: anywhere; font-size: 14px; }
.notices .info { padding: 1px 12px; color: var(--soft); }
.notices .danger { background: var(--red-tint); color: var(--red); }
.notices .warning { background: var(--amber-tint); color: var(--amber); }
.notices pre { margin: 4px 0 0; overflow-x: auto; white-space: pre; }
.notices p { margin-top: 2px; }
#alerts { margin-bottom: 24px; }
#alerts h2 { margin: 0; font-size: 15px; }
#alerts.broken h2 { color: var(--red); }
.bar { margin-top: 14px; }
.sides { margin-top: 12px; }
.switch { display: flex; }
.switch button { border-radius: 0; margin-left: -1px; }
.switch button:first-child { border-radius: 7px 0 0 7px; margin-left: 0; }
.switch button:last-child { border-radius: 0 7px 7px 0; }
.switch button[aria-pressed="true"] { position: relative; background: var(--blue-tint); color: var(--blue); border-color: currentcolor; }
.sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px; align-items: stretch; }
.sides.single { grid-template-columns: minmax(0, 760px); }
figure { display: flex; flex-direction: column; min-width: 0; background: var(--card); border: 1px solid var(--rule); border-radius: 10px; overflow: hidden; }
figcaption { display: flex; flex-wrap: wrap; gap: 0 8px; padding: 8px 14px; font-size: 14px; border-bottom: 1px solid var(--rule); }
figcaption span { color: var(--soft); }
.scale { margin-left: auto; font-variant-numeric: tabular-nums; }
.mail { flex: 1 0 auto; padding: 8px 14px 10px; font-size: 14px; }
.mail div { display: flex; gap: 10px; }
.mail dt { flex: none; width: 4.6em; color: var(--soft); }
.mail dd { min-width: 0; overflow-wrap: anywhere; }
.mail .subject dd { font-weight: 600; }
.mail .new dd { padding: 0 5px; margin: 0 -5px; border-radius: 4px; background: light-dark(#e5f6ea, #10291a); color: var(--green); }
.viewport { overflow: hidden; background: var(--sunk); border-top: 1px solid var(--rule); }
figcaption + .viewport { border-top: 0; }
iframe { display: block; border: 0; background: #ffffff; color-scheme: light; transform-origin: 0 0; }
iframe:focus-visible { outline-offset: -2px; }
.none { padding: 28px 14px; text-align: center; color: var(--soft); font-size: 14px; }
.empty { padding: 72px 20px; text-align: center; color: var(--soft); }
.context { margin-top: 12px; padding: 0 14px; background: var(--card); border: 1px solid var(--rule); border-radius: 10px; }
.context summary { margin: 0 -14px; padding: 9px 14px; cursor: pointer; font-size: 14px; font-weight: 600; border-radius: 10px; }
.context small { margin-left: 6px; color: var(--soft); font-size: 13px; font-weight: 400; }
.help { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 6px 16px; margin-bottom: 10px; color: var(--soft); font-size: 14px; }
.help button { color: var(--text); }
textarea { display: block; width: 100%; margin-bottom: 6px; padding: 10px 12px; color: inherit; background: var(--page); border: 1px solid var(--rule); border-radius: 8px; line-height: 1.5; tab-size: 2; resize: vertical; }
textarea[aria-invalid="true"] { border-color: var(--red); }
#context-error { min-height: 1.5em; margin-bottom: 8px; color: var(--red); font-size: 14px; }
@media (max-width: 1100px) {
  .sides { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 760px) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  nav { position: static; height: auto; max-height: 38vh; padding: 12px 14px; border-right: 0; border-bottom: 1px solid var(--rule); }
  header.top { padding: 0 14px; gap: 10px; }
  main { padding: 16px 14px 40px; }
  h1 { font-size: 20px; }
}
@media (prefers-reduced-motion: no-preference) {
  .rendering .sides { transition: opacity .2s .25s; opacity: .55; }
}
@media (forced-colors: active) {
  .changed, .count, .state, nav a[aria-current], button[aria-pressed="true"] { border: 1px solid; }
}
`;
