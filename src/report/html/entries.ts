import { gzipSync } from 'node:zlib';
import { oneLine } from '../safe.ts';
import { familyWords } from '../words.ts';
import { html, type Markup } from './markup.ts';

/** One entry of a page's list: it can be filtered and expanded. */
export interface Entry {
  readonly address: string;
  /** The action or the outcome, and what a reader should notice: the page filters by them. */
  readonly categories: readonly string[];
  readonly isOpen: boolean;
  readonly summary: Markup;
  readonly body: Markup;
  /** What a search finds besides the title. */
  readonly text: string;
  /** Entries that show the same of other objects. */
  readonly same: readonly Entry[];
}

/** Entries below one heading. */
export interface EntryGroup {
  readonly name: string;
  readonly words: string;
  readonly entries: readonly Entry[];
}

/** Bodies of more characters together are packed. Until then the page can be read without its script. */
const maxInline = 1_500_000;
/** Entries that are packed together. Similar ones make each other smaller. */
const packSize = 40;

/** All entries of some groups, those that are below another one included. */
export function entriesOf(groups: readonly EntryGroup[]): Entry[] {
  return groups.flatMap(({ entries }) => entries.flatMap((entry) => [entry, ...entry.same]));
}

/**
 * The groups of a page. The bodies of a long list are compressed at the end, and the page's script makes them when they
 * are needed: browsers would take seconds to build all of them.
 */
export function groupsMarkup(groups: readonly EntryGroup[]): Markup {
  const entries = entriesOf(groups);
  const isPacked = entries.reduce((sum, { body }) => sum + body.toString().length, 0) > maxInline;
  const packs = isPacked ? packsOf(entries) : [];
  return html`<div id="entries" tabindex="-1">${groups.map((group, index) => groupMarkup(group, index, isPacked))}</div>
${packs.map((pack) => html`<template class="pack" data-size="${packSize}">${pack}</template>`)}${isPacked ? html`<noscript><p class="alarm">This report is long, so its details need the script of this page.</p></noscript>` : ''}`;
}

function packsOf(entries: readonly Entry[]): string[] {
  const packs: string[] = [];
  for (let at = 0; at < entries.length; at += packSize) {
    const items = entries.slice(at, at + packSize).map(({ body, text }) => [body.toString(), text]);
    packs.push(gzipSync(JSON.stringify(items)).toString('base64'));
  }
  return packs;
}

function groupMarkup({ name, words, entries }: EntryGroup, index: number, isPacked: boolean): Markup {
  return html`<section class="group" aria-labelledby="g${index}"><h2 id="g${index}">${name} <small>${words}</small> <small class="shown"></small></h2>
${entries.map((entry) => entryMarkup(entry, name, isPacked))}</section>`;
}

function entryMarkup(entry: Entry, group: string, isPacked: boolean): Markup {
  const { address, categories, isOpen, summary, body, same } = entry;
  const open = isOpen ? html` open` : '';
  const members =
    same.length === 0
      ? ''
      : html`<details class="members"><summary>Show the others: ${familyWords(same.length)}</summary>${same.map((one) => entryMarkup(one, group, isPacked))}</details>`;
  return html`<details class="entry" id="${idOf(address)}" data-address="${oneLine(address)}" data-group="${group}" data-categories="${categories.join(' ')}"${open}><summary>${summary}</summary><div class="body">${isPacked ? '' : body}</div>${members}</details>
`;
}

const idOf = (address: string): string => `change/${oneLine(address)}`;

/** The link to an entry of the page. */
export function permalink(address: string): string {
  const path = idOf(address)
    .replace(/\p{Cs}/gu, '\ufffd')
    .split('/');
  return `#${path.map(encodeURIComponent).join('/')}`;
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
