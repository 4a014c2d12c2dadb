import type { LiveObject } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import { type Address, formatAddress } from '../model/address.ts';

type Subject = Pick<LiveObject, 'kind' | 'key'>;

interface UnusableObject {
  readonly subject: Subject & { readonly address: Address };
  readonly why: string;
}

/** Objects that a tenant does not answer soundly, and why. They are left out, and said to be; they never count as absent. */
export class Unusable {
  readonly #found = new Map<string, UnusableObject>();

  /** What a read calls for each of them. */
  readonly add = ({ kind, key }: Subject, why: string): void => {
    const subject = { kind, key, address: formatAddress(kind.name, key) };
    this.#found.set(identityOf(kind, key), { subject, why });
  };

  /** Why the object is left out; `null` where it is not. */
  why({ kind, key }: Subject): string | null {
    return this.#found.get(identityOf(kind, key))?.why ?? null;
  }

  /** All of them. */
  objects(): readonly UnusableObject[] {
    return [...this.#found.values()];
  }
}
