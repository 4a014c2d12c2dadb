import type { LiveObject } from '../kinds/kind.ts';
import { notificationTemplate } from '../kinds/notification-template.ts';
import { profileSearch } from '../kinds/profile-search.ts';
import { allOf, type ReadRequest, someOf } from '../kinds/read-request.ts';
import type { Resource } from '../kinds/resource.ts';
import { senderAddress } from '../kinds/sender-address.ts';
import { verifiedDomain } from '../kinds/verified-domain.ts';
import type { Address } from '../model/address.ts';
import { type KnownRecords, rulesOf } from './searches.ts';
import { collectSenders, findUnknownSenders, type KnownSenders } from './senders.ts';
import { textsOf, usesOf, variablesOf } from './texts.ts';

/** What is known about the tenant. A part that was not asked is absent, and what depends on it is not judged. */
export interface LintKnowledge extends KnownSenders, KnownRecords {
  /** The vendor's default templates: for each key to be judged, those of all media and locales. */
  readonly defaults?: readonly LiveObject[];
  /** The templates that the tenant has customised. */
  readonly customised?: ReadonlySet<Address>;
  /** The names of the attributes in the notification template context (seed 001). */
  readonly context?: readonly string[];
}

/** What to ask the tenant before resources can be judged; usually nothing. */
export interface LintQuestions {
  /** The vendor's defaults of a key, in every medium and locale. */
  readonly defaults: readonly ReadRequest[];
  readonly objects: readonly ReadRequest[];
  /** Collections of the profile-management interface. */
  readonly collections: readonly string[];
}

/**
 * The questions to the tenant that have to be answered to judge resources.
 *
 * @param changed the resources to judge
 * @param declared every resource of the project, lookups not yet filled
 */
export function questionsOf(changed: readonly Resource[], declared: readonly Resource[]): LintQuestions {
  const templates = changed.filter(isTemplate);
  const usesVariables = ({ fields }: Resource) => usesOf(textsOf(fields)).variables.length > 0;
  const keys = templates.filter(usesVariables).map(({ key }) => key);
  const senders = collectSenders(declared, null);
  const needsSenders = templates.some((template) => findUnknownSenders(template, senders).length > 0);
  const rules = changed.filter(({ kind }) => kind === profileSearch).flatMap(rulesOf);
  const namesAttribute = rules.some(({ type }) => type === 'ProfileAttributeRule');
  // An id that comes from a lookup exists in the tenant.
  const namesType = rules.some(({ type, value }) => type === 'ProfileTypeRule' && value !== null);
  return {
    defaults: keys.length === 0 ? [] : [someOf(notificationTemplate, keys)],
    objects: needsSenders ? [senderAddress, verifiedDomain].map(allOf) : [],
    collections: [...(namesAttribute ? ['ne_attributes'] : []), ...(namesType ? ['profile_types'] : [])],
  };
}

/**
 * Whether the template context has to be read as well: some template uses a variable that its default does not.
 *
 * @param changed the resources to judge
 * @param defaults all vendor's defaults that are known
 */
export function needsContext(changed: readonly Resource[], defaults: readonly LiveObject[]): boolean {
  const names = variablesOf(defaults);
  return changed.filter(isTemplate).some(({ key: [key = ''], fields }) => {
    const { variables, globals } = usesOf(textsOf(fields));
    return globals.length > 0 || variables.some(({ name }) => !names.get(key)?.has(name));
  });
}

const isTemplate = ({ kind }: Resource) => kind === notificationTemplate;
