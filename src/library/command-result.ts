/** What became of a command. `queued`: nobody drives the run now; whoever resumes it will decide. */
export interface CommandResult {
  readonly status: 'accepted' | 'refused' | 'queued';
  readonly text: string;
  /** Under which it waits, if it is queued: see `run.decided`. */
  readonly ids?: readonly string[];
}
