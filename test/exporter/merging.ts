import { expect } from 'vitest';
import type { ExportedFile } from '../../src/exporter/files.ts';
import { type Merge, type MergeInput, mergeExport } from '../../src/exporter/merge.ts';
import type { LiveObject } from '../../src/kinds/kind.ts';
import { fillLookups } from '../../src/planner/references.ts';
import { secretsOf } from '../support/plan.ts';
import { load } from './support.ts';

export const project = `version: 1
manifests: ["config/**/*.yaml"]
environments:
  test:
    sandbox: {}
    variables:
      help: help@acme.example
      host: desk
      ids: [s1]
      rule: { type: RULE, id: r1, name: Mine }
      condition: { type: ProfileStatusRule, comparison_operator: "==", value: Active }
      settings: { url: "https://desk/", user: svc }
    overlays:
      - { target: NotificationTemplate/over/*/*, merge: { replyTo: overlay@acme.example } }
      - { target: NotificationTemplate/guarded/*/*, merge: { lifecycle: { protect: true } } }
      - target: SimIntegration/over
        merge: { sources: [s9], statusMap: { a: ours }, beforeProvisioningRule: { type: RULE, id: r9 } }
      - { target: SimIntegration/removing, merge: { statusMap: { gone: null }, attributes: { user: ours } } }
`;

interface Case {
  readonly files: Readonly<Record<string, string>>;
  /** What the files hold by the time of the merge, where somebody changed them after they were loaded. */
  readonly now?: Readonly<Record<string, string>>;
  readonly live: readonly LiveObject[];
  readonly more?: Partial<
    Pick<
      MergeInput,
      'all' | 'delete' | 'inScope' | 'isUsedElsewhere' | 'nameOf' | 'read' | 'records' | 'standardOf'
    >
  >;
}

export const usualInput = {
  records: new Map(),
  all: true,
  folder: 'config',
  inScope: () => true,
  secrets: secretsOf({ PW: 'clear' }),
  delete: false,
  renamed: () => null,
  fileOf: (path: string) => path,
  isUsedElsewhere: () => false,
};

export const asFiles = (files: Readonly<Record<string, string>>): ExportedFile[] =>
  Object.entries(files).map(([path, content]) => ({ path, content }));

/** Merges live objects into files. */
export function merge({ files, now = files, live, more = {} }: Case): Merge {
  const resources = load(asFiles(files), {}, project).resources.map((each) => fillLookups(each, () => 'a1'));
  const read = (path: string) => (Object.hasOwn(now, path) ? (now[path] ?? null) : null);
  return mergeExport({ ...usualInput, objects: live, resources, read, ...more });
}

/** Merges one object into one file. */
export const mergeOne = (content: string, live: LiveObject, more: Case['more'] = {}): Merge =>
  merge({ files: { 'config/a.yaml': content }, live: [live], more });

/** The file after the object is merged into it, and the codes of what is told. */
export function mergedOne(...[content, live, more]: Parameters<typeof mergeOne>): string[] {
  const result = mergeOne(content, live, more);
  expect(result.created).toEqual([]);
  return [result.changed[0]?.content ?? content, ...codes(result)];
}

/** The file after the object is merged into it. */
export function mergeFile(content: string, live: LiveObject): string {
  const [merged = ''] = mergedOne(content, live);
  return merged;
}

/** A merge of the object replaces this text of the file, and nothing else. */
export const changes = (content: string, live: LiveObject, text: string | RegExp, other: string) =>
  expect(mergeFile(content, live)).toBe(content.replace(text, () => other));
export const keeps = (content: string, live: LiveObject) => expect(mergeFile(content, live)).toBe(content);

export const head = 'kind: NotificationTemplate\nkey: a\nmedium: EMAIL\nlocale: en\n';
export const codes = ({ diagnostics }: Merge) => diagnostics.map(({ code }) => code);
