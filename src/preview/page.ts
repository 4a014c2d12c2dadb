import { html } from '../report/html/markup.ts';

/** The page itself: its content comes later, as JSON, and only the page knows the token that this takes. */
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
<div id="list"></div>
</nav>
<main id="main" tabindex="-1">
<section id="alerts" aria-label="Problems of the project" hidden></section>
<div id="template" hidden>
<div class="head">
<h1 id="key"></h1>
<p class="facts"><span id="medium"></span><span id="locale"></span><code id="place"></code><span id="state" class="state"></span><span id="busy" role="status"></span></p>
</div>
<ul id="problems" class="notices" aria-label="Problems of this template"></ul>
<div class="bar" id="bar">
<div class="switch" role="group" aria-label="Width of the e-mail"><button type="button" data-width="700" aria-pressed="true">Desktop</button><button type="button" data-width="375" aria-pressed="false">Phone</button></div>
</div>
<details class="context" id="context-panel">
<summary>Context <small id="context-state">made-up values</small></summary>
<div class="help"><p id="context-help">What the variables stand for, as JSON. Nothing of it is saved.</p><button type="button" id="reset">Made-up values again</button></div>
<label class="hidden" for="context">Context as JSON</label>
<textarea id="context" spellcheck="false" autocomplete="off" rows="10" aria-describedby="context-help context-error"></textarea>
<p id="context-error" role="alert"></p>
</details>
<div class="sides" id="sides"></div>
</div>
<p class="empty" id="empty" hidden></p>
</main>
</div>
</body>
</html>`}\n`;
}
