/** A text as one word of a shell's line, whatever is in it: the path of a clone may have an apostrophe. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
