import { isArray, isObject, own, textOf } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { Resource } from '../model/resource.ts';
import { foreignAddresses, sendersOf } from './senders.ts';
import { textsOf } from './texts.ts';
import { usesOf, variablesOf } from './variables.ts';

/** What the tenant has to be asked before these resources can be judged; mostly nothing. */
export interface LintQuestions {
  /** The vendor's default templates, in every medium and locale. */
  readonly defaults: boolean;
  readonly context: boolean;
  readonly senders: boolean;
  readonly attributes: boolean;
  readonly profileTypes: boolean;
}

/**
 * @param changed the resources to be judged
 * @param declared every resource of the project, lookups not yet filled
 * @param defaults the vendor's defaults that are known already
 */
export function questionsOf(
  changed: readonly Resource[],
  declared: readonly Resource[],
  defaults: readonly LiveObject[],
): LintQuestions {
  const templates = changed.filter(({ kind }) => kind === 'NotificationTemplate');
  const names = variablesOf(defaults);
  const uses = templates.map(({ key: [key = ''], fields }) => ({ key, ...usesOf(textsOf(fields)) }));
  const isPuzzling = uses.some(({ key, variables }) =>
    variables.some(({ name }) => !names.get(key)?.has(name)),
  );
  const senders = sendersOf(
    declared.filter(({ ensure }) => ensure === 'present'),
    null,
  );
  const rules = changed.filter(({ kind }) => kind === 'ProfileSearch').flatMap(rulesOf);
  return {
    defaults: isPuzzling,
    context: isPuzzling || uses.some(({ globals }) => globals.length > 0),
    senders: templates.some((template) => foreignAddresses(template, senders).length > 0),
    attributes: rules.some((rule) => textOf(rule, 'type') === 'ProfileAttributeRule'),
    // An id that a lookup gave is one of the tenant's.
    profileTypes: rules.some(
      (rule) => textOf(rule, 'type') === 'ProfileTypeRule' && textOf(rule, 'value') !== null,
    ),
  };
}

function rulesOf({ fields }: Resource) {
  const rules = own(fields, 'rules');
  return isArray(rules) ? rules.filter(isObject) : [];
}
