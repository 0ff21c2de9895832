/** One measurement of each, by name. */
export type Sample<Name extends string> = Readonly<Record<Name, number>>;
type Measurements<Name extends string> = Readonly<Record<Name, () => Promise<number> | number>>;

/**
 * Measures all of them in every round, each time in the opposite order: the disk and the neighbours of this process vary
 * by a factor of two within minutes, so only what was measured side by side can be compared.
 */
export async function interleave<Name extends string>(
  rounds: number,
  measurements: Measurements<Name>,
): Promise<readonly Sample<Name>[]> {
  const names = Object.keys(measurements) as Name[];
  const samples: Sample<Name>[] = [];
  for (let round = 0; round < rounds; round++) {
    const sample = {} as Record<Name, number>;
    for (const name of round % 2 === 0 ? names : names.toReversed())
      sample[name] = await measurements[name]();
    samples.push(sample);
  }
  return samples;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function medianOf<Name extends string>(samples: readonly Sample<Name>[], name: Name): number {
  return median(samples.map((sample) => sample[name]));
}

/** The median of the rounds' own ratios, in which the weather of the moment cancels out. */
export function medianRatio<Name extends string>(
  samples: readonly Sample<Name>[],
  [above, below]: readonly [Name, Name],
): number {
  return median(samples.map((sample) => sample[above] / sample[below]));
}

export async function timed(act: () => Promise<unknown> | unknown): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}
