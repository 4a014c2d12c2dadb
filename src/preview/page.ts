import { resolve, sep } from 'node:path';
import type { Address } from '../model/address.ts';
import type { Diagnostic, Source } from '../model/diagnostic.ts';
import type { RenderedSides } from '../render/template.ts';
import { controlsMarkup, picturesMarkup } from '../report/html/mail-markup.ts';
import { html } from '../report/html/markup.ts';
import type { FurtherRendered, Rendered } from '../report/options.ts';
import { oneLine, printable } from '../report/safe.ts';
import { place } from '../report/words.ts';
import { toRendered } from './document.ts';
import type { ListedTemplate, Problem, RenderedTemplate, TemplateList } from './protocol.ts';
import type { PreviewTemplate, Snapshot } from './snapshot.ts';

/** The page without its content, which its script fetches as JSON. Only the page knows the token for that. */
export function pageHtml(token: string, environment: string): string {
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="token" content="${token}">
<title>tenantctl preview: ${environment}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
<script src="/script.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the template</a>
<header class="top">
<p class="brand"><strong>tenantctl preview</strong> <span id="environment">${environment}</span></p>
<p class="live" role="status"><span class="dot" aria-hidden="true"></span><span id="live">Connecting</span></p>
<button type="button" id="theme" aria-pressed="false">Dark</button>
</header>
<div class="columns">
<nav aria-label="Templates">
<label class="filter"><span class="hidden">Filter the templates</span><input type="search" id="filter" placeholder="Filter by key, medium or locale" autocomplete="off" spellcheck="false"></label>
<label class="only"><input type="checkbox" id="changed-only"> Changed only</label>
<div id="list"></div>
</nav>
<main id="main" tabindex="-1">
<p id="stale" class="stale" role="alert" hidden></p>
<section id="alerts" aria-label="Problems of the project" hidden></section>
<div id="template" hidden>
<div class="head">
<h1 id="key"></h1>
<p class="facts"><span id="medium"></span><span id="locale"></span><a id="place" title="Open in VS Code"></a><span id="state" class="state"></span><span id="busy" role="status"></span></p>
</div>
<ul id="problems" class="notices" aria-label="Problems of this template"></ul>
<details class="context" id="context-panel">
<summary>Context <small id="context-state">sample values</small></summary>
<div class="help"><p id="context-help">The values of the variables, as JSON. They are not saved.</p><button type="button" id="reset">Use sample values</button></div>
<label class="hidden" for="context">Context as JSON</label>
<textarea id="context" spellcheck="false" autocomplete="off" rows="10" aria-describedby="context-help context-error"></textarea>
<p id="context-error" role="alert"></p>
</details>
<div class="rendered" id="rendered">
<div class="bar">
<div class="switch" id="panes" role="group" aria-label="Sides"><button type="button" data-pane="both" aria-pressed="true">Both</button><button type="button" data-pane="before" aria-pressed="false">Before</button><button type="button" data-pane="after" aria-pressed="false">After</button></div>
${controlsMarkup({ isMail: true, hasBoth: true })}
</div>
<div id="sides"></div>
</div>
</div>
<p class="empty" id="empty" hidden></p>
</main>
</div>
</body>
</html>`}\n`;
}

/** The templates and the problems of the project. */
export function templateList(snapshot: Snapshot, isReading: boolean): TemplateList {
  const { environment, root, templates, diagnostics, isBroken, loadedAt } = snapshot;
  const addresses = new Set(templates.map(({ address }) => address));
  // Notes about other objects are left to `validate`. An error that keeps the files from loading concerns all templates.
  const isElsewhere = ({ address, severity }: Diagnostic) =>
    isBroken
      ? severity === 'error'
      : severity !== 'info' && (address === undefined || !addresses.has(address));
  return {
    environment: oneLine(environment),
    isBroken,
    isReading,
    loadedAt,
    problems: diagnostics.filter(isElsewhere).map((each) => problemOf(each, root)),
    templates: templates.map((template) => listedTemplate(template, snapshot)),
  };
}

function listedTemplate(template: PreviewTemplate, { root, diagnostics }: Snapshot): ListedTemplate {
  const { source, sides, moved, ...listed } = template;
  return {
    ...listed,
    key: oneLine(listed.key),
    medium: oneLine(listed.medium),
    locale: oneLine(listed.locale),
    place: oneLine(`${source.file}:${source.line}`),
    editor: editorLink(root, source),
    problems: diagnostics
      .filter(({ address }) => address === listed.address)
      .map((each) => problemOf(each, root)),
  };
}

/** A link that opens a file in Visual Studio Code, at its place. */
function editorLink(root: string, { file, line, column }: Source): string {
  const path = resolve(root, file).split(sep).map(encodeURIComponent).join('/');
  return `vscode://file/${path.replace(/^\//, '')}:${line}:${column}`;
}

function problemOf({ code, severity, message, source, excerpt, hint }: Diagnostic, root: string): Problem {
  return {
    code: oneLine(code),
    severity,
    message: printable(message),
    place: source ? oneLine(place(source)) : '',
    editor: source ? editorLink(root, source) : '',
    excerpt: printable(excerpt ?? ''),
    hint: printable(hint ?? ''),
  };
}

/**
 * A template that was rendered, for the page.
 *
 * @param vendor the vendor's default, where it has changed since the template was customised
 */
export function renderedTemplate(
  address: Address,
  sides: RenderedSides,
  vendor: RenderedSides | null,
): RenderedTemplate {
  const rendered = toRendered(sides);
  const further = [...rendered.further, ...(vendor ? [vendorPictures(toRendered(vendor))] : [])];
  return { context: sides.context, markup: picturesMarkup(address, { ...rendered, further }).toString() };
}

function vendorPictures({ before, after }: Rendered): FurtherRendered {
  const old = before === null ? 'not known: no manifest in git has its text' : '';
  return {
    title: 'The vendor has changed the default that this template was customised from',
    before,
    after,
    captions: [`The vendor's old default ${old}`.trim(), "The vendor's new default"],
  };
}
