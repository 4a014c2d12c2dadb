import { gzipSync } from 'node:zlib';
import { oneLine } from '../safe.ts';
import { familyWords } from '../words.ts';
import { html, type Markup } from './markup.ts';

/** One entry of a page's list: it can be filtered and expanded. */
export interface Entry {
  /** What it is called in links. */
  readonly id: string;
  readonly address: string;
  /** The action or the outcome, and what a reader should notice: the page filters by them. */
  readonly categories: readonly string[];
  readonly isOpen: boolean;
  readonly summary: Markup;
  readonly body: Markup;
  /** What a search finds in addition to the title. */
  readonly text: string;
  /** Entries that show the same of other objects. */
  readonly same: readonly Entry[];
}

/** Entries below one heading. */
export interface EntryGroup {
  readonly title: string;
  readonly words: string;
  /** Which choices of the page's list show it: its kind, or its environments. */
  readonly names: readonly string[];
  readonly entries: readonly Entry[];
}

/** Bodies of more characters together are packed. Until then the page can be read without its script. */
const maxInline = 1_500_000;
/** Entries that are packed together. Similar ones make each other smaller. */
const packSize = 40;
/** Names that a heading has room for. */
const maxNames = 4;

/** All entries of some groups, those that are below another one included. */
export function entriesOf(groups: readonly EntryGroup[]): Entry[] {
  return groups.flatMap(({ entries }) => entries.flatMap((entry) => [entry, ...entry.same]));
}

/**
 * The groups of a page. The bodies of a long list, and the titles in folds, are compressed at the end, and the page's script
 * makes them when they are needed: browsers would take seconds to build all of them.
 */
export function groupsMarkup(groups: readonly EntryGroup[]): Markup {
  const entries = entriesOf(groups);
  const isPacked = entries.reduce((sum, { body }) => sum + body.toString().length, 0) > maxInline;
  const packs = isPacked
    ? html`${packsOf('texts', entries, ({ text }) => text)}
${packsOf('markup', entries, ({ body, summary }) => [body.toString(), summary.toString()])}`
    : '';
  // Before the list, since its end is far away.
  const note = isPacked
    ? html`<p class="alarm scriptless">This report is long, so its details need the script of this page. If the site that shows it allows no scripts, download the file and open it.</p>`
    : '';
  return html`${note}<div id="entries" tabindex="-1">${groups.map((group, index) => groupMarkup(group, index, isPacked))}</div>
${packs}`;
}

/** What the page's script needs of each entry. The search needs less, and sooner, than the entries that are opened. */
function packsOf(
  name: string,
  entries: readonly Entry[],
  packed: (entry: Entry) => string | readonly string[],
): Markup[] {
  const packs: Markup[] = [];
  for (let at = 0; at < entries.length; at += packSize) {
    const items = entries.slice(at, at + packSize).map(packed);
    const pack = gzipSync(JSON.stringify(items), { level: 9 }).toString('base64');
    packs.push(html`<template class="${name}" data-size="${packSize}">${pack}</template>`);
  }
  return packs;
}

function groupMarkup({ title, words, names, entries }: EntryGroup, index: number, isPacked: boolean): Markup {
  return html`<section class="group" aria-labelledby="g${index}" data-names="${JSON.stringify(names)}"><h2 id="g${index}">${title} <small>${words}</small> <small class="shown"></small></h2>
${names.length > maxNames ? namesMarkup(names) : ''}${entries.map((entry) => entryMarkup(entry, isPacked))}</section>`;
}

/** All names, where a heading has no room for them. */
export function namesMarkup(names: readonly string[]): Markup {
  return html`<details class="names"><summary>All ${names.length}</summary><p>${names.map(oneLine).join(', ')}</p></details>`;
}

function entryMarkup(entry: Entry, isPacked: boolean): Markup {
  const { id, address, categories, isOpen, summary, body, same } = entry;
  const open = isOpen ? html` open` : '';
  const members =
    same.length === 0
      ? ''
      : html`<details class="members"><summary>Show the others: ${familyWords(same.length)}</summary>${same.map((one) => entryMarkup(isPacked ? { ...one, summary: html`` } : one, isPacked))}</details>`;
  return html`<details class="entry" id="${anchorOf(id)}" data-address="${oneLine(address)}" data-categories="${categories.join(' ')}"${open}><summary>${summary}</summary><div class="body">${isPacked ? '' : body}</div>${members}</details>
`;
}

const anchorOf = (id: string): string => `change/${oneLine(id)}`;

/** The link to an entry of the page. */
export function permalink(id: string): string {
  return `#${anchorOf(id).split('/').map(encodeURIComponent).join('/')}`;
}

/** An address with its key decoded, as people read it. The whole of it can be copied. */
export function addressMarkup(address: string): Markup {
  const [kind = '', ...key] = address.split('/').map(decodeOrKeep).map(oneLine);
  return html`<code class="address"><span>${kind}/</span>${key.join('/')}</code>`;
}

function decodeOrKeep(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
