import type { IdPlace } from '../generated/schemas/kind.ts';
import { isWithin, type Pointer, pointer, segmentsOf } from '../model/pointer.ts';

/**
 * The policy of a place inside an object's fields (design, section 9), and its users:
 *
 * | policy | meaning | asked by |
 * |---|---|---|
 * | `secret` | never shown, exported as `!secret` | `credentials.ts`, the exporter |
 * | `plain` | shown, although it looks like a credential | `credentials.ts`, `redact.ts`, the exporter |
 * | `serverOwned` | sent back as it was read; never compared, fingerprinted or exported | `field.ts` |
 * | `minted` | made anew by the tenant with each write; otherwise as `serverOwned` | `field.ts` |
 * | `set` | a list whose order does not count | `field.ts` |
 * | `reference` | the id of another object, or a list of ids; shown. In records, the id of a record in a collection | `references.ts` |
 * | `names` | an object whose members have ids for names | `references.ts` |
 *
 * {@link isIgnored} covers what single objects leave alone (`lifecycle.ignore`).
 */
type PlacePolicy = 'secret' | 'plain' | 'serverOwned' | 'minted' | 'set' | 'reference' | 'names';

/** A path into the fields (`formElements/**` + `/key`; `*` is one step, `**` any number) and the policy of what is there. */
interface PlaceRule {
  readonly path: string;
  readonly is: Exclude<PlacePolicy, 'reference' | 'names'> | IdPlace;
}

function policyOf({ is }: Pick<PlaceRule, 'is'>): PlacePolicy {
  return typeof is === 'string' ? is : is.names ? 'names' : 'reference';
}

/** The table of the places in a field, with pointers from the field on. */
export class Places {
  readonly rules: readonly PlaceRule[];
  readonly #entries;

  constructor(rules: readonly PlaceRule[]) {
    this.rules = rules;
    this.#entries = rules.map(({ path, is }) => {
      const id = typeof is === 'string' ? null : is;
      const policy = policyOf({ is });
      const steps = path.split('/').map((step) => {
        if (step === '' || step === '**') return step && '(?:/[^/]*)*';
        return step === '*' ? '/[^/]*' : pointer(step).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      });
      return { policy, id, matches: new RegExp(`^${steps.join('')}${reach[policy]}$`, 's') };
    });
  }

  has(...policies: readonly PlacePolicy[]): boolean {
    return this.#entries.some(({ policy }) => policies.includes(policy));
  }

  /** True if a rule gives one of the policies to the place, or to a place above that covers it. */
  is(at: Pointer, ...policies: readonly PlacePolicy[]): boolean {
    return this.#entries.some(({ policy, matches }) => policies.includes(policy) && matches.test(at));
  }

  idsAt(at: Pointer, policy: 'reference' | 'names' = 'reference'): IdPlace[] {
    const found = this.#entries.filter((entry) => entry.policy === policy && entry.matches.test(at));
    return found.flatMap(({ id }) => id ?? []);
  }
}

/** What a policy covers besides the place itself: everything below it, the items of a list, or nothing. */
const reach: Readonly<Record<PlacePolicy, string>> = {
  secret: '(?:/.*)?',
  plain: '(?:/.*)?',
  serverOwned: '(?:/.*)?',
  minted: '(?:/.*)?',
  set: '',
  reference: '(?:/\\d+)?',
  names: '',
};

/** The rule that leaves another one without effect: it decides wherever that holds. Of two for ids, the first one does. */
export function decidingRule(rules: readonly PlaceRule[], rule: PlaceRule): PlaceRule | undefined {
  const policy = policyOf(rule);
  // A step of any name is `*`: no other rule can name it.
  const examples = ['', '/*', '/*/*'].map((any) =>
    rule.path
      .split('/')
      .map((step) => (step === '**' ? any : pointer(step)))
      .join(''),
  );
  return rules.find((other) => {
    const over = policyOf(other);
    const isEarlier = other.is !== rule.is && rules.indexOf(other) < rules.indexOf(rule);
    const isOver =
      over === policy
        ? isEarlier && JSON.stringify(other.is) !== JSON.stringify(rule.is)
        : over === 'secret'
          ? policy === 'plain' || typeof rule.is === 'object'
          : owned.includes(over) && !owned.includes(policy);
    return isOver && examples.every((at) => new Places([other]).is(at, over));
  });
}

const owned: readonly PlacePolicy[] = ['serverOwned', 'minted'];

/** True if a field gives one of the policies to a place, a pointer from the object on. */
export function fieldSays(
  field: { readonly places?: Places } | undefined,
  at: Pointer,
  ...policies: readonly PlacePolicy[]
): boolean {
  return field?.places?.is(pointer(...segmentsOf(at).slice(1)), ...policies) === true;
}

/** True for one of these places, and for what is above or below one of them. */
export function touches(places: readonly Pointer[], at: Pointer): boolean {
  return places.some((place) => isWithin(at, place) || isWithin(place, at));
}

/** True for ignored values, which stay as the tenant has them: not compared, fingerprinted or written. */
export function isIgnored(ignored: readonly Pointer[], at: Pointer): boolean {
  return ignored.some((each) => isWithin(at, each));
}
