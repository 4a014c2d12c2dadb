import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';

/**
 * What a place inside an object's fields is (design, section 9):
 *
 * - `secret`: never shown, exported as `!secret`;
 * - `plain`: shown, although it looks like a credential;
 * - `serverOwned`: sent back as it was read; never compared, fingerprinted or exported;
 * - `minted`: made anew by the tenant with each write; otherwise as `serverOwned`;
 * - `ignored`: left as the tenant has it (`lifecycle.ignore`);
 * - `set`: a list whose order does not count.
 */
export type PlacePolicy = 'secret' | 'plain' | 'serverOwned' | 'minted' | 'ignored' | 'set';

/** The policies that a descriptor can give to a place. */
export const placePolicies = ['secret', 'plain', 'serverOwned', 'minted', 'set'] as const;

/** A path into the fields (`formElements/**` + `/key`; `*` is one step, `**` any number) and the policy of what is there. */
export interface PlaceRule {
  readonly path: string;
  readonly is: PlacePolicy;
}

/** The table of the places in a field: comparing, showing, fingerprint, export and writes all look here. */
export class Places {
  readonly #rules: readonly { readonly is: PlacePolicy; readonly matches: RegExp }[];

  constructor(rules: readonly PlaceRule[]) {
    this.#rules = rules.map(({ path, is }) => ({ is, matches: matcherOf(path, is !== 'set') }));
  }

  /** True where a rule gives one of the policies to the place, or, except for `set`, to a place above it. */
  is(at: Pointer, ...policies: readonly PlacePolicy[]): boolean {
    return this.#rules.some(({ is, matches }) => policies.includes(is) && matches.test(at));
  }
}

function matcherOf(path: string, coversBelow: boolean): RegExp {
  const steps = path.split('/').filter((step) => step !== '');
  const source = steps.map((step) => {
    if (step === '**') return '(?:/[^/]*)*';
    return step === '*' ? '/[^/]*' : pointer(step).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  });
  return new RegExp(`^${source.join('')}${coversBelow ? '(?:/.*)?' : ''}$`, 's');
}

/** The rules for what is in the field of this name, with paths from the field on. */
export function rulesInside(rules: readonly PlaceRule[], field: string): PlaceRule[] {
  return rules.flatMap(({ path, is }) => {
    const [first = '', ...below] = segmentsOf(`/${path}`);
    // A step of any length may end in this field, or lead on below it.
    if (first === '**') return rulesInside([{ path: below.join('/'), is }], field).concat({ path, is });
    return first === field || first === '*' ? [{ path: below.join('/'), is }] : [];
  });
}
