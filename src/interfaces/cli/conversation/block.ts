/** A piece of a conversation, ready to be shown. Its words are cleaned of control characters. */
export interface Block {
  readonly kind: BlockKind;
  /** One line; empty where the text speaks for itself. */
  readonly head: string;
  readonly text: string;
  /** Only of interest to who wants to see all. */
  readonly detail?: string;
  readonly isError?: boolean;
  /** The text is data, not prose. */
  readonly isData?: boolean;
}

export type BlockKind =
  | 'session'
  | 'prompt'
  | 'message'
  | 'reasoning'
  | 'call'
  | 'answer'
  | 'result'
  | 'question'
  /** By a person, in the middle of it. */
  | 'told'
  | 'trouble'
  | 'notice';
