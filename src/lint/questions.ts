import { kindNamed } from '../kinds/index.ts';
import { allOf, type ReadRequest, someOf } from '../kinds/kind.ts';
import { isArray, isObject, own, textOf } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import type { Resource } from '../model/resource.ts';
import { foreignAddresses, sendersOf } from './senders.ts';
import { textsOf } from './texts.ts';
import { usesOf, variablesOf } from './variables.ts';

/** What the tenant has to be asked before resources can be judged; mostly nothing. */
export interface LintQuestions {
  /** Vendor's defaults, of a key in every medium and locale. */
  readonly defaults: readonly ReadRequest[];
  readonly objects: readonly ReadRequest[];
  /** Collections of the profile-management interface. */
  readonly collections: readonly string[];
}

/**
 * @param changed the resources to be judged
 * @param declared every resource of the project, lookups not yet filled
 */
export function questionsOf(changed: readonly Resource[], declared: readonly Resource[]): LintQuestions {
  const templates = changed.filter(isTemplate);
  const usesVariables = ({ fields }: Resource) => usesOf(textsOf(fields)).variables.length > 0;
  const keys = templates.filter(usesVariables).map(({ key }) => key);
  const present = declared.filter(({ ensure }) => ensure === 'present');
  const senders = sendersOf(present, null);
  const needsSenders = templates.some((template) => foreignAddresses(template, senders).length > 0);
  const rules = changed.filter(({ kind }) => kind === 'ProfileSearch').flatMap(rulesOf);
  const isOf = (type: string) => (rule: (typeof rules)[number]) => textOf(rule, 'type') === type;
  // An id that a lookup gave is one of the tenant's.
  const namesType = rules.filter(isOf('ProfileTypeRule')).some((rule) => textOf(rule, 'value') !== null);
  return {
    defaults: keys.length === 0 ? [] : [someOf(kindNamed('NotificationTemplate'), keys)],
    objects: needsSenders ? ['SenderAddress', 'VerifiedDomain'].map((name) => allOf(kindNamed(name))) : [],
    collections: [
      ...(rules.some(isOf('ProfileAttributeRule')) ? ['ne_attributes'] : []),
      ...(namesType ? ['profile_types'] : []),
    ],
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
