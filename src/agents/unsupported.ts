/** In the words of the libraries that CLIs read their arguments with: what one says of an option it does not know. */
const complaints: readonly RegExp[] = [
  /^error: (?:unknown (?:option|command)|option \S.{0,80} argument .{0,80} is invalid).*$/im,
  /^error: (?:unexpected argument|unrecognized subcommand|invalid value) .*$/im,
  /^unknown arguments?: .*$/im,
  /^invalid values:\s+argument: .*$/im,
];

/** The complaint about its command line that a CLI has ended with, if it has. */
export function commandLineComplaint(said: string): string | undefined {
  for (const complaint of complaints) {
    const [found] = complaint.exec(said) ?? [];
    if (found !== undefined) return found.replaceAll(/\s+/g, ' ');
  }
  return undefined;
}

/** For people. What to do about it differs little between CLIs, and is not said here. */
export function unsupportedText(complaint: string): string {
  return `It does not understand its command line: ${complaint}.`;
}
