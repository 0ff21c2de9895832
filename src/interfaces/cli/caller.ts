/** Who calls a command, and from where. */
export interface Caller {
  /** Asked when it is needed: the folder may be gone. */
  directory(): string;
  /** How this command line is started again, in a process of its own, before its arguments. */
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Opened when it is needed. */
  stdin(): NodeJS.ReadStream;
}
