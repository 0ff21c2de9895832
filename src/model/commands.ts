/** What a person or another process asks of a run. It names the instance it means, so that it cannot hit a later one. */
export type Command =
  | { readonly type: 'pause'; readonly reason?: string }
  | { readonly type: 'resume' }
  | { readonly type: 'cancel'; readonly reason: string }
  /** Tries a held, delayed or failed task again. `attempt`: the attempt the person saw, when there was one. */
  | { readonly type: 'retry'; readonly task: string; readonly attempt?: string }
  | { readonly type: 'skip'; readonly task: string; readonly attempt?: string }
  | {
      readonly type: 'approve' | 'reject';
      readonly task: string;
      readonly gate: string;
      readonly comment?: string;
    };

export interface InboxCommand {
  readonly id: string;
  readonly run: string;
  readonly at: number;
  readonly command: Command;
  /** Present once decided; a command is decided once. */
  readonly answer?: CommandAnswer;
}

export interface CommandAnswer {
  readonly accepted: boolean;
  readonly text: string;
}
