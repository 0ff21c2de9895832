import type { Command } from 'commander';

/** What a shell needs to know of a command. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly flag: string; readonly summary: string }[];
  /** What each of its arguments is; the last goes on if there may be several. */
  readonly arguments: readonly string[];
}

/** Words an argument may be, where that is no name of something; else the kind for `piton __complete`. */
const choices: Readonly<Record<string, string>> = {
  action: 'install uninstall status',
  shell: 'bash zsh fish',
  what: 'list show clean reconcile restore recreate adopt discard',
};

export function commandsOf(program: Command): CompletedCommand[] {
  const shared = optionsOf(program);
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.description(),
    options: [...optionsOf(command), ...shared],
    arguments: command.registeredArguments.map((argument) => argument.name()),
  }));
}

function optionsOf(command: Command): { flag: string; summary: string }[] {
  return command.options
    .filter(({ long, hidden }) => long !== undefined && long !== null && long !== '--version' && !hidden)
    .map(({ long, description }) => ({ flag: long!, summary: description }));
}

export function choicesOf(argument: string): string | undefined {
  return choices[argument];
}
