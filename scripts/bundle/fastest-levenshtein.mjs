// fastest-levenshtein takes a quarter of a megabyte as it is loaded; most runs have nothing to suggest.
export const distance = (one, other) => require('fastest-levenshtein').distance(one, other);
