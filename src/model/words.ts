/** Words as a list in a sentence: `a, b or c`. */
export function joinWords(last: 'and' | 'or', words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
