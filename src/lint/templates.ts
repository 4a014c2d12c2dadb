import { comparable } from '../kinds/field.ts';
import { kindNamed } from '../kinds/index.ts';
import { own, sameJson } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { Resource } from '../model/resource.ts';
import { chatFindings } from './chat.ts';
import type { Finding } from './finding.ts';
import type { LintKnowledge } from './knowledge.ts';
import { type Senders, senderFindings } from './senders.ts';
import { placeIn, type TemplateText, textsOf } from './texts.ts';
import { unknownVariables, variablesOf } from './variables.ts';

/** Everything there is to say about templates one by one. */
export function templateFindings(
  templates: readonly Resource[],
  senders: Senders,
  known: LintKnowledge | null,
): Finding[] {
  const defaults = known?.defaults ?? [];
  const names = variablesOf(defaults);
  const byAddress = new Map(defaults.map((each) => [each.address, each]));
  return templates.flatMap((resource) => {
    const texts = textsOf(resource.fields);
    return [
      ...texts.flatMap((text) => velocityFindings(resource, text)),
      ...(known ? unknownVariables(resource, texts, known, names) : []),
      ...senderFindings(resource, senders),
      ...chatFindings(resource),
      ...equalsDefault(resource, byAddress.get(resource.address)),
    ];
  });
}

function velocityFindings(resource: Resource, text: TemplateText): Finding[] {
  return text.scan.problems.map(({ code, offset, message, hint }) => ({
    code,
    message,
    hint,
    resource,
    ...placeIn(text, offset),
  }));
}

function equalsDefault(resource: Resource, base: LiveObject | undefined): Finding[] {
  const { fields } = kindNamed(resource.kind);
  const isSame = (name: string) => {
    const field = fields[name];
    return (
      field !== undefined &&
      sameJson(
        comparable(field, own(resource.fields, name)),
        comparable(field, own(base?.fields ?? {}, name)),
      )
    );
  };
  if (!base || !Object.keys(resource.fields).every(isSame)) return [];
  return [
    {
      code: 'equals-default',
      message: `${resource.address} declares nothing but the vendor's default`,
      hint: "Remove the manifest, and the template goes on following the vendor's changes.",
      resource,
      at: '',
    },
  ];
}
