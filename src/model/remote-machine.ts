/** A machine that is reached by ssh, as it is configured. */
export interface RemoteMachine {
  /** As one would write it after ssh: `user@host`, or a name from its configuration. */
  readonly host: string;
  /** Where Piton keeps its files there; default `~/.piton-remote`. */
  readonly folder?: string;
  /** Further options of ssh: `['-p', '2222']`. */
  readonly ssh?: readonly string[];
  /** Environment variables of Piton that programs there are given too. */
  readonly env?: readonly string[];
}
