import type { Key } from '../model/address.ts';
import { isArray, isObject, own, textOf } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { Resource } from '../model/resource.ts';
import { foreignAddresses, sendersOf } from './senders.ts';
import { textsOf } from './texts.ts';
import { usesOf, variablesOf } from './variables.ts';

/** What the tenant has to be asked before these resources can be judged; mostly nothing. */
export interface LintQuestions {
  /** The templates of whose keys the vendor's defaults have to be known, in every medium and locale. */
  readonly defaults: readonly Key[];
  readonly senders: boolean;
  readonly attributes: boolean;
  readonly profileTypes: boolean;
}

/**
 * @param changed the resources to be judged
 * @param declared every resource of the project, lookups not yet filled
 * @param defaults the vendor's defaults that are known already, of a key all or none
 */
export function questionsOf(
  changed: readonly Resource[],
  declared: readonly Resource[],
  defaults: readonly LiveObject[],
): LintQuestions {
  const templates = changed.filter(isTemplate);
  const known = new Set(defaults.map(({ key: [name] }) => name));
  const usesVariables = ({ fields }: Resource) => usesOf(textsOf(fields)).variables.length > 0;
  const senders = sendersOf(
    declared.filter(({ ensure }) => ensure === 'present'),
    null,
  );
  const rules = changed.filter(({ kind }) => kind === 'ProfileSearch').flatMap(rulesOf);
  return {
    defaults: templates
      .filter(({ key: [name] }) => !known.has(name))
      .filter(usesVariables)
      .map(({ key }) => key),
    senders: templates.some((template) => foreignAddresses(template, senders).length > 0),
    attributes: rules.some((rule) => textOf(rule, 'type') === 'ProfileAttributeRule'),
    // An id that a lookup gave is one of the tenant's.
    profileTypes: rules.some(
      (rule) => textOf(rule, 'type') === 'ProfileTypeRule' && textOf(rule, 'value') !== null,
    ),
  };
}

/**
 * Whether the template context has to be known besides.
 *
 * @param defaults the vendor's defaults, those asked for included
 */
export function needsContext(changed: readonly Resource[], defaults: readonly LiveObject[]): boolean {
  const names = variablesOf(defaults);
  return changed.filter(isTemplate).some(({ key: [key = ''], fields }) => {
    const { variables, globals } = usesOf(textsOf(fields));
    return globals.length > 0 || variables.some(({ name }) => !names.get(key)?.has(name));
  });
}

const isTemplate = ({ kind }: Resource) => kind === 'NotificationTemplate';

function rulesOf({ fields }: Resource) {
  const rules = own(fields, 'rules');
  return isArray(rules) ? rules.filter(isObject) : [];
}
