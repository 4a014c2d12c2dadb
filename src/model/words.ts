/** Words as a list in a sentence: `a, b or c`. */
export function joinWords(last: 'and' | 'or', words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

/** `A, B, C and 44 more`: the names that are shown, and how many others there are. */
export function namesAndMore(shown: readonly string[], more: number): string {
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A text of a file or a tenant for a message: in quotes, escaped and cut. */
export const quote = (text: string): string => JSON.stringify(text.slice(0, 200));
