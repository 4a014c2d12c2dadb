import type { JsonObject } from '../../src/model/json.ts';
import type { Snapshot } from '../../src/preview/templates.ts';

type PreviewTemplate = Snapshot['templates'][number];

export function template(
  more: Partial<PreviewTemplate> & { after?: JsonObject; before?: JsonObject },
): PreviewTemplate {
  const { key = 'welcome', medium = 'EMAIL', locale = 'en', before = null, after = null, ...rest } = more;
  return {
    address: `NotificationTemplate/${encodeURIComponent(key)}/${medium}/${locale}`,
    key,
    medium,
    locale,
    source: { file: 'config/all.yaml', line: 3, column: 1 },
    base: before ? 'tenant' : 'not-read',
    isRemoved: false,
    differs: before !== null,
    sides: { before, after },
    moved: null,
    ...rest,
  };
}

export function snapshot(templates: readonly PreviewTemplate[], more: Partial<Snapshot> = {}): Snapshot {
  return {
    environment: 'sandbox',
    root: '/project',
    templates,
    attributes: null,
    listed: new Map(),
    diagnostics: [],
    loadedAt: '2026-03-01T10:00:00.000Z',
    isBroken: false,
    ...more,
  };
}

/** The inbox line and the document of each side, from the HTML that the page gets; `null` for a side without any. */
export function sidesIn(markup: string) {
  return [...markup.matchAll(/<figure>.*?<\/figure>/gs)].map(([figure]) => {
    const document = /data-document="(.*?)"/s.exec(figure)?.[1];
    const inbox = /<p class="inbox">(.*?)<\/p>/s.exec(figure)?.[1] ?? '';
    return document === undefined ? null : { inbox, document };
  });
}
