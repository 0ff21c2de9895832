import type { ProcessIdentity } from '../base/index.ts';
import type { FunctionQuestion, RunState } from '../kernel/index.ts';
import type { Outcome } from '../model/index.ts';
import type { TranscriptPart } from './agent-ports.ts';
import type { Attempt } from './attempt.ts';
import type { Cleaned } from '../workspaces/index.ts';
import type { PlaceNews } from './placing.ts';
import type { Saved } from './saver.ts';
import type { SweptPlace } from './sweeper.ts';

/** What becomes known of an attempt under way. */
export type News =
  | {
      readonly type: 'spawned';
      readonly attempt: Attempt;
      readonly process: ProcessIdentity;
      /** Of an agent's program. */
      readonly version?: string;
      /** How it is contained, in words. */
      readonly sandbox?: string;
    }
  | { readonly type: 'recovered'; readonly attempt: Attempt; readonly how: 'adopted' | 'harvested' }
  | { readonly type: 'transcript'; readonly attempt: Attempt; readonly part: TranscriptPart }
  | { readonly type: 'placed'; readonly attempt: Attempt; readonly news: PlaceNews }
  | { readonly type: 'saved'; readonly attempt: Attempt; readonly saved: Saved };

/** What reaches a driver from outside. */
export type Letter =
  | News
  | { readonly type: 'asks'; readonly attempt: Attempt; readonly question: FunctionQuestion }
  | { readonly type: 'outcome'; readonly attempt: Attempt; readonly outcome: Outcome }
  | { readonly type: 'left'; readonly attempt: Attempt }
  | { readonly type: 'cleaned'; readonly place: SweptPlace; readonly cleaned: Cleaned }
  | { readonly type: 'inbox' }
  | { readonly type: 'lease-lost' }
  | {
      readonly type: 'checkpoint';
      readonly task: string;
      readonly name?: string;
      readonly saved: () => void;
    }
  | { readonly type: 'question'; readonly ask: (state: RunState) => void };
