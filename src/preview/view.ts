import type { Diagnostic } from '../model/diagnostic.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Message, Outcome, RenderedSides } from '../render/index.ts';
import { oneLine, printable } from '../report/safe.ts';
import { documentOf } from './document.ts';
import { isBroken, type PreviewTemplate, type Snapshot } from './snapshot.ts';

/** What the page is told: JSON, of which it shows every text as text. */

export function listView({ environment, templates, diagnostics }: Snapshot): Json {
  const addresses = new Set(templates.map(({ address }) => address));
  // Notes about other objects are for `validate` to tell.
  const isElsewhere = ({ address, severity }: Diagnostic) =>
    severity !== 'info' && (address === undefined || !addresses.has(address));
  return {
    environment: oneLine(environment),
    isBroken: isBroken({ diagnostics }),
    problems: diagnostics.filter(isElsewhere).map(problemView),
    templates: templates.map((template) => templateView(template, diagnostics)),
  };
}

function templateView(template: PreviewTemplate, diagnostics: readonly Diagnostic[]): JsonObject {
  const { address, key, medium, locale, source, base, isRemoved, differs } = template;
  return {
    address,
    key: oneLine(key),
    medium: oneLine(medium),
    locale: oneLine(locale),
    place: oneLine(`${source.file}:${source.line}`),
    base,
    isRemoved,
    differs,
    problems: diagnostics.filter((diagnostic) => diagnostic.address === address).map(problemView),
  };
}

function problemView({ code, severity, message, source, excerpt, hint }: Diagnostic): JsonObject {
  return {
    code: oneLine(code),
    severity,
    message: printable(message),
    place: source ? oneLine(`${source.file}:${source.line}:${source.column}`) : '',
    excerpt: printable(excerpt ?? ''),
    hint: printable(hint ?? ''),
  };
}

export function renderedView({ context, before, after }: RenderedSides): Json {
  return { context, before: sideView(before), after: sideView(after) };
}

function sideView(outcome: Outcome<Message> | null): Json {
  if (outcome === null) return null;
  const head = outcome.is === 'rendered' && outcome.value.is === 'email' ? outcome.value : null;
  return {
    document: documentOf(outcome, false),
    head: head && {
      subject: oneLine(head.subject),
      from: oneLine(head.from),
      replyTo: oneLine(head.replyTo),
    },
  };
}
