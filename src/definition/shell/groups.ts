import type { ShellCommand } from './commands.ts';

/** What a group, a loop or the like begins and ends with. */
const beginnings: ReadonlySet<string> = new Set(['{', 'if', 'while', 'until', 'for', 'select', 'case']);
export const groupEnds: ReadonlySet<string> = new Set(['}', 'done', 'fi', 'esac']);

/** Words behind which another group may begin. */
const between = /^(then|else|elif|do|!|time)$/;

/** By how much a command goes deeper into groups, of parentheses or of words. `case` has parentheses of its own. */
function depthOf({ words, begins, endsGroup }: ShellCommand, kind: 'parentheses' | 'words'): number {
  const isWord = groupEnds.has(words[0] ?? '');
  if (kind === 'parentheses') return (begins ? 1 : 0) - (endsGroup && !isWord ? 1 : 0);
  const first = words.findIndex((word) => !beginnings.has(word) && !between.test(word));
  const leading = first < 0 ? words : words.slice(0, first);
  return leading.filter((word) => beginnings.has(word)).length - (isWord ? 1 : 0);
}

/** Those that read what is given to a command: itself, or all of the group that it begins. */
export function readersFrom(command: ShellCommand): ShellCommand[] {
  const { commands } = command.line;
  const next = commands[command.index + 1];
  const isSubshell = command.words.length === 0 && next?.begins === true;
  const kind = isSubshell ? 'parentheses' : 'words';
  return takeGroup(isSubshell ? commands.slice(next.index) : commands.slice(command.index), kind);
}

/** Those that read what is redirected to a command: itself, or all of the group that it ends. */
export function readersUntil(command: ShellCommand): ShellCommand[] {
  const kind = groupEnds.has(command.words[0] ?? '') ? 'words' : 'parentheses';
  const { line, index, endsGroup } = command;
  return endsGroup ? takeGroup(line.commands.slice(0, index + 1).reverse(), kind) : [command];
}

/** From its one end to the other. What has an input of its own does not read that of the group. */
function takeGroup(commands: readonly ShellCommand[], kind: 'parentheses' | 'words'): ShellCommand[] {
  let depth = 0;
  const end = commands.findIndex((command) => {
    depth += depthOf(command, kind);
    return depth === 0;
  });
  const [first, ...rest] = end < 0 ? commands : commands.slice(0, end + 1);
  return [first!, ...rest.filter(({ hasInput }) => !hasInput)];
}
