/** What a shell learns of how a command ended. */
export const exitCodes = {
  done: 0,
  /** The run failed or was cancelled; or something went wrong that has no better place here. */
  failed: 1,
  /** Bad usage, or a bad definition. */
  usage: 2,
  /** Waiting for a person. */
  waiting: 3,
  /** Drift, damage, a lease held elsewhere. */
  refused: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const { usage, refused, interrupted } = exitCodes;

/** Codes of errors that are not plain failures. */
export const exitCodesByError: Readonly<Record<string, ExitCode>> = {
  USAGE_INVALID: usage,
  ANSWER_INVALID: usage,
  ARCHIVE_UNKNOWN: usage,
  CHECKPOINT_NOT_FOUND: usage,
  CHECKPOINT_PRUNED: refused,
  FORK_REFUSED: refused,
  CONFIG_INVALID: usage,
  CONFIG_TOO_NEW: refused,
  OPTION_INVALID: usage,
  PREFLIGHT_FAILED: usage,
  DEFINITION_INVALID: usage,
  EXPORT_EXISTS: usage,
  FILE_UNREADABLE: usage,
  FOLDER_EXISTS: usage,
  GIT_MISSING: usage,
  INPUT_INVALID: usage,
  SELECTION_INVALID: usage,
  TASK_UNKNOWN: usage,
  NO_PROJECT: usage,
  PLACE_MISSING: usage,
  NODE_TOO_OLD: usage,
  RUN_AMBIGUOUS: usage,
  RUN_ID_INVALID: usage,
  RUN_NOT_FOUND: usage,
  STORE_UNKNOWN: usage,
  STORE_URL_INVALID: usage,
  WORKFLOW_AMBIGUOUS: usage,
  WORKFLOW_INVALID: usage,
  WORKFLOW_EXISTS: usage,
  WORKFLOW_NOT_FOUND: usage,
  GITHUB_WORKFLOW_UNUSABLE: usage,
  BACKUP_UNUSABLE: refused,
  BRANCH_TAKEN: refused,
  COMMAND_REFUSED: refused,
  CONFLICT_UNSOLVED: refused,
  SECRET_MISSING: usage,
  REDO_REFUSED: refused,
  EXPORT_INVALID: refused,
  EXPORT_TOO_NEW: refused,
  RUN_BEHIND: refused,
  RUN_CHANGED: refused,
  MIGRATION_FAILED: refused,
  RUN_DAMAGED: refused,
  RUN_DRIVEN: refused,
  RUN_ELSEWHERE: refused,
  RUN_EXISTS: refused,
  RUN_INSIDE: refused,
  RUN_LOST: refused,
  RUN_TOO_NEW: refused,
  LEASE_LOST: refused,
  LOCK_HELD: refused,
  IDENTITY_MISSING: refused,
  INSIDE_ATTEMPT: refused,
  DELIVERY_CONFLICT: refused,
  MERGE_REFUSED: refused,
  NOTHING_TO_DELIVER: refused,
  PUSH_REFUSED: refused,
  RUN_INCOMPLETE: refused,
  STATE_TRACKED: refused,
  STORE_DAMAGED: refused,
  STORE_NOT_A_DATABASE: refused,
  STORE_IN_USE: refused,
  STORE_ON_NETWORK: refused,
  STORE_TOO_NEW: refused,
  SESSION_BUSY: refused,
  SESSION_CLOSED: refused,
  SESSION_MISSING: refused,
  TRUST_NEEDED: refused,
  TRUST_REFUSED: refused,
  RUN_STOPPED: interrupted,
};

export function exitCodeOf(code: string): ExitCode {
  return exitCodesByError[code] ?? exitCodes.failed;
}
