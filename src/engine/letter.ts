import type { ProcessIdentity } from '../base/index.ts';
import type { RunState } from '../kernel/index.ts';
import type { Outcome } from '../model/index.ts';
import type { TranscriptPart } from './agent-work.ts';
import type { Attempt } from './attempt.ts';
import type { PlaceNews } from './placing.ts';

/** What becomes known of an attempt under way. */
export type News =
  | { readonly type: 'spawned'; readonly attempt: Attempt; readonly process: ProcessIdentity }
  | { readonly type: 'transcript'; readonly attempt: Attempt; readonly part: TranscriptPart }
  | { readonly type: 'placed'; readonly attempt: Attempt; readonly news: PlaceNews };

/** What reaches a driver from outside. */
export type Letter =
  | News
  | { readonly type: 'outcome'; readonly attempt: Attempt; readonly outcome: Outcome }
  | { readonly type: 'inbox' }
  | { readonly type: 'lease-lost' }
  | { readonly type: 'checkpoint'; readonly saved: () => void }
  | { readonly type: 'question'; readonly ask: (state: RunState) => void };
