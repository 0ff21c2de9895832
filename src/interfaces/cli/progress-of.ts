/** How far a run has come, as JSON shows it. */
export interface Progress {
  readonly settled: number;
  readonly total: number;
  /** Rounded down: 100 means all. */
  readonly percent: number;
}

export function progressOf({
  settled,
  total,
}: {
  readonly settled: number;
  readonly total: number;
}): Progress {
  return { settled, total, percent: total === 0 ? 0 : Math.floor((100 * settled) / total) };
}
