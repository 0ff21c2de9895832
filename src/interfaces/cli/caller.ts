/** Who calls a command: from where, with what around it, and through which streams. */
export interface Caller {
  /** Asked when it is needed: the folder may be gone. */
  directory(): string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}
