import type { Key } from '../model/address.ts';
import type { JsonObject } from '../model/json.ts';

interface ListedVariables {
  readonly names: ReadonlySet<string>;
  /** The members of `$__global`. */
  readonly globals: ReadonlySet<string>;
  readonly examples: JsonObject;
}

export type VariableLists = ReadonlyMap<string, ListedVariables>;

/** Templates in several locales have the same variables. */
export const listedFor = ([key = '', medium = '']: Key): string => JSON.stringify([key, medium]);
