/** One simple command of a shell's text, with its words as the shell would see them, quotes removed. */
export interface ShellCommand {
  readonly words: string[];
  /** Places of words that may become none, or many: substitutions without quotes. */
  readonly loose: Set<number>;
  /** Where its standard output goes, if that is another command. */
  pipedInto?: ShellCommand;
  /** An opening parenthesis stands before it. */
  readonly begins: boolean;
  /** It is the end of a group, a loop or the like: what it is piped into reads all of that. */
  endsGroup: boolean;
  /** It has a standard input of its own, not that of the group around it. */
  hasInput: boolean;
  /** Within `[[ ]]`. */
  inTest: boolean;
  readonly line: CommandLine;
  readonly index: number;
}

/** The commands of a text, or of one substitution in it. */
export interface CommandLine {
  readonly commands: ShellCommand[];
}

/** How a value comes to a command: as a part of a word, by its standard input, by a file, as the name of one, or behind `>&`. */
export type Way = 'word' | 'input' | 'file' | 'redirection' | 'duplication';

/** That a value is a part of a command, or of what a substitution in it gives. */
export interface Owner {
  readonly command: ShellCommand;
  readonly way: Way;
  /** The place of the word, and what stands in it before the value. */
  readonly word: number;
  readonly before: string;
}

export function openCommand(line: CommandLine, given: Partial<ShellCommand> = {}): ShellCommand {
  const command = {
    words: [],
    loose: new Set<number>(),
    begins: false,
    endsGroup: false,
    hasInput: false,
    inTest: false,
    ...given,
    line,
    index: line.commands.length,
  };
  line.commands.push(command);
  return command;
}
