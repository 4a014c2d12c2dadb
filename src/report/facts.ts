import { type ReportContext, webLink } from './options.ts';
import { joinParts } from './words.ts';

/** What a page says about itself. */
export interface Fact {
  /** `Commit` */
  readonly name: string;
  readonly value: string;
  /** A time has an age, what is copied has a button for it, and what is of no interest to most is in the footer. */
  readonly is: 'text' | 'time' | 'copied' | 'footer';
  readonly link: string | null;
}

export function fact(name: string, value: string, is: Fact['is'] = 'text', link: string | null = null): Fact {
  return { name, value, is, link };
}

/** The commit that a document was made of: `3f2a91c on main, by Ada Lovelace`. */
export function commitFacts({ commit }: ReportContext): Fact[] {
  if (!commit) return [];
  const { id, branch, author, url } = commit;
  const parts = [
    `${id.slice(0, 10)}${branch === '' ? '' : ` on ${branch}`}`,
    author !== '' && `by ${author}`,
  ];
  return [fact('Commit', joinParts(parts, ', '), 'text', webLink(url))];
}
