/** What agents have used. Dollars as far as they were told; tokens that nobody has priced are counted by themselves. */
export interface Used {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
  readonly usd: number;
  readonly unpricedTokens: number;
}

/** By day of the local calendar (`2026-11-15`), and agent. */
export type Spent = Readonly<Record<string, Readonly<Record<string, Used>>>>;
