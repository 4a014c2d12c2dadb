/** The values behind `!secret NAME`. The only place in the program that holds them. */
export interface Secrets {
  /** The text of the secret; throws a Failure that names the variable when it is not set. */
  reveal(name: string): string;
  /** Whether `text` is the secret's value; `false` too when the secret is not set. */
  matches(name: string, text: string): boolean;
}
