/** The candidate closest to a misspelt word, if one is close enough to be what was meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    // Of words of one letter, any other would be close.
    if (distance >= Math.max(word.length, candidate.length)) continue;
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Letters left out, put in or replaced; two that have changed places count as one. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const [current, previous, earlier] = [[i], rows[i - 1]!, rows[i - 2]];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (earlier?.[j - 2] ?? Infinity) + 1 : Infinity;
      current.push(Math.min(previous[j]! + 1, current[j - 1]! + 1, substitution, swap));
    }
    rows.push(current);
  }
  return rows[a.length]![b.length]!;
}
