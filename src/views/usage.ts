import type { Used } from '../model/index.ts';

/** Tokens and money. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  /** Part of `input`. */
  readonly cachedInput: number;
  /** Absent if nothing was priced. */
  readonly costUsd?: number;
  /** Tokens of which nobody said what they cost. */
  readonly unpricedTokens: number;
}

/** Undefined if nothing was used. What costs nothing, as far as was told, has no price unless nothing is unpriced. */
export function usageOf(used: Used | undefined): Usage | undefined {
  if (used === undefined) return undefined;
  const { usd, ...tokens } = used;
  return usd === 0 && tokens.unpricedTokens > 0 ? tokens : { ...tokens, costUsd: usd };
}
