import { nearest } from '../../base/index.ts';

/** The remedy for a misspelt name, if there is a similar one. */
export type Suggest = (wrong: string) => { readonly remedy?: string };

/** Looking for a similar name among many costs time, and nobody reads a thousand suggestions: so many names are compared. */
const mostComparisons = 100_000;

export function createSuggester(names: ReadonlySet<string> | ReadonlyMap<string, unknown>): Suggest {
  let left = mostComparisons;
  return (wrong) => {
    if (left <= 0) return {};
    left -= names.size;
    return suggestNearest(wrong, names.keys());
  };
}

export function suggestNearest(wrong: string, names: Iterable<string>): { readonly remedy?: string } {
  const similar = nearest(wrong, names);
  return similar === undefined ? {} : { remedy: `Did you mean \`${similar}\`?` };
}
