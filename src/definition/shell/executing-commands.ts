import type { Owner, ShellCommand } from './commands.ts';
import { readersFrom, readersUntil } from './groups.ts';

/** That a command takes a value for text that it executes, or calculates with. */
export interface Execution {
  readonly command: string;
  readonly how: 'executes' | 'calculates';
}

/** The command that would execute what is in a value, if one is known to. */
export function executingCommand(owner: Owner, shell: string): Execution | undefined {
  const { command, way } = owner;
  if (way === 'redirection') return undefined;
  // What is no number there, bash expands twice.
  if (way === 'duplication') return executes('>&');
  const readers = [...readersOf(command), ...(way === 'input' ? readersUntil(command) : [])];
  const reader = executingReader(readers);
  if (reader !== undefined) return reader;
  if (way === 'input') return undefined;
  if (way === 'file')
    return executesFile(command) ? executes(command.words.find((word) => word !== '')!) : undefined;
  return calculation(owner, shell) ?? naming(owner) ?? execution(owner);
}

/** That one of these commands executes what others write to it. */
export function executingReader(commands: readonly ShellCommand[]): Execution | undefined {
  const reader = commands.find(executesInput);
  return reader && executes(programOf(reader));
}

/** Words behind which a command may still begin. */
const beforeCommands =
  /^(if|then|else|elif|while|until|do|!|\{|time|command|builtin|exec|env|sudo|doas|nohup|nice|timeout|setsid|xargs|stdbuf)$/;

/** Whether what a substitution gives would be the command itself, and its first words the arguments. */
export function isCommandItself({ command: { words }, word, before, way }: Owner): boolean {
  if (way !== 'word' || before.includes('=')) return false;
  return words
    .slice(0, word)
    .every((other) => beforeCommands.test(other) || isOption(other) || /^\d|^\w+=/.test(other));
}

function executes(command: string): Execution {
  return { command, how: 'executes' };
}

/** Those that the output of a command goes to, by itself or with the group it belongs to. */
function readersOf(command: ShellCommand): ShellCommand[] {
  const { line, index } = command;
  const sources = line.commands.filter(
    (other) => other === command || (other.index > index && other.endsGroup),
  );
  return sources.flatMap((source) => {
    const readers: ShellCommand[] = [];
    for (let next = source.pipedInto; next !== undefined; next = next.pipedInto)
      readers.push(...readersFrom(next));
    return readers;
  });
}

const shells = /^(sh|bash|dash|ash|zsh|ksh|mksh|fish|csh|tcsh|busybox)$/;
const interpreters = /^(python[\d.]*|perl|ruby|node|nodejs|deno|bun|php|lua|osascript|Rscript|pwsh)$/;

/** Of a program. What is substituted beside it may be nothing, and then zsh takes `=sh` for the path of `sh`. */
function nameOf(word: string): string {
  if (/^\$(\{?(SHELL|BASH)\b|0$)/.test(word)) return 'sh';
  const last = word.slice(word.lastIndexOf('/') + 1);
  return last.replace(/\0|\$\{[^}]*\}|\$(\d|[A-Za-z_]\w*|[?!#@*-])/g, '').replace(/^=+/, '');
}

function isOption(word: string): boolean {
  return /^[-+]./.test(word);
}

function programIndex({ words }: ShellCommand): number {
  return words.findIndex((word) => shells.test(nameOf(word)) || interpreters.test(nameOf(word)));
}

function programOf(command: ShellCommand): string {
  return nameOf(command.words[Math.max(0, programIndex(command))] ?? '');
}

const mentionsReader =
  /\b(sh|bash|dash|ash|zsh|ksh|mksh|fish|eval|source|python|perl|ruby|node|ssh)\b|(^|[;&|\s])\.\s/;

/** A shell without a script of its own reads one from its input; so does a remote one without a command. */
function executesInput(command: ShellCommand): boolean {
  const { words } = command;
  if (words.some((word) => executors.has(word)) || takesProgramFromInput(words)) return true;
  const ssh = words.findIndex((word) => nameOf(word) === 'ssh');
  const program = programIndex(command);
  if (program < 0) return ssh >= 0 && words.slice(afterHost(words, ssh)).length === 0;
  const rest = words.slice(program + 1);
  if (words.some((word) => nameOf(word) === 'xargs') && putsIntoScript(words, program)) return true;
  // A script of its own may read the input, or have another read it.
  if (rest.some((word) => /^-[a-z]*c[a-z]*$/.test(word)))
    return rest.some((word) => mentionsReader.test(word));
  return rest.some((word) => word === '-s' || standardInput.test(word)) || rest.every(isOption);
}

const standardInput = /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;
const programReaders = /^(\.|source|g?make|[gmn]?awk|sed)$/;

/** `. /dev/stdin`, `make -f -` */
function takesProgramFromInput(words: readonly string[]): boolean {
  return (
    words.some((word) => programReaders.test(nameOf(word))) && words.some((word) => standardInput.test(word))
  );
}

/** `xargs -I{} sh -c 'echo {}'`, or a script that is still to come. */
function putsIntoScript(words: readonly string[], program: number): boolean {
  return (
    words.slice(0, program).some((word) => /^(-[Ii]|--replace)/.test(word)) ||
    scriptIndex(words, program) === words.length
  );
}

function executesFile({ words }: ShellCommand): boolean {
  return words.some((word) => word === '.' || word === 'source' || shells.test(nameOf(word)));
}

const numericTests: ReadonlySet<string> = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-v', '-R']);

/** Of a number that is none, bash looks for a variable, and executes what stands in its subscript. */
function calculation({ command, before }: Owner, shell: string): Execution | undefined {
  const { words } = command;
  const subscripted = /^([A-Za-z_]\w*)?\[[^\]]*$/.exec(before);
  if (subscripted !== null) return { command: `${subscripted[1] ?? ''}[…]`, how: 'calculates' };
  if (words.includes('let')) return { command: 'let', how: 'calculates' };
  if (!words.some((word) => numericTests.has(word))) return undefined;
  if (command.inTest) return { command: '[[ ]]', how: 'calculates' };
  const test = words.find((word) => word === '[' || word === 'test');
  if (test === undefined || testsSafely(words, shell)) return undefined;
  return { command: test, how: 'calculates' };
}

/** There `test` takes only what is a number. */
function testsSafely(words: readonly string[], shell: string): boolean {
  return /^(sh|bash|dash|ash)$/.test(shell) && !words.includes('-v') && !words.includes('-R');
}

const declaring: ReadonlySet<string> = new Set([
  'declare',
  'typeset',
  'local',
  'export',
  'readonly',
  'integer',
]);
const reading: ReadonlySet<string> = new Set(['read', 'unset', 'getopts', 'mapfile', 'readarray', 'alias']);

const executedVariables =
  /^(PS[0-4]|PROMPT_COMMAND|BASH_ENV|ENV|VISUAL|(GIT_(SEQUENCE_)?)?EDITOR|(\w+_)?PAGER|GIT_SSH_COMMAND)\+?=/;

/** A value that is taken for the name of a variable may have a subscript too. */
function naming({ command: { words }, before, word }: Owner): Execution | undefined {
  if (executedVariables.test(before)) return executes(before.split('=', 1)[0]!);
  const found = words.slice(0, word).find((name) => declaring.has(name) || reading.has(name));
  if (found !== undefined) {
    const isRead = found === 'integer' || words.some((option) => /^-[A-Za-z]*[in]/.test(option));
    return reading.has(found) || isRead || !before.includes('=') ? executes(found) : undefined;
  }
  return words[word - 1] === '-v' && words.includes('printf') ? executes('printf -v') : undefined;
}

/** Options behind which a program's text stands. */
const textOptions: readonly (readonly [name: RegExp, option: RegExp])[] = [
  [/^python[\d.]*$/, /^-\w*c$/],
  [/^(perl|ruby|lua|osascript|Rscript)$/, /^-\w*[eE]$/],
  [/^(node|nodejs|bun)$/, /^(-\w*[ep]|--eval|--print)$/],
  [/^deno$/, /^eval$/],
  [/^php$/, /^-[rBRE]$/],
  [/^(su|runuser|script|flock|pwsh)$/, /^(-\w*c|--command|-Command)$/],
  [/^(npx|npm|pnpm)$/, /^(-c|--call)$/],
  [/^env$/, /^(-\w*S|--split-string)$/],
  [/^sed$/, /^(-\w*e|--expression)$/],
];

/** Commands all of whose words may be executed. */
const executors: ReadonlySet<string> = new Set(['eval', 'trap', 'watch', 'parallel']);

function execution({ command, word }: Owner): Execution | undefined {
  const found = command.words
    .slice(0, word)
    .map(nameOf)
    .find((name, index) => executors.has(name) || isProgramText(command, index, word));
  return found === undefined ? undefined : executes(found);
}

/** Whether the word is, or may become, what the program at `index` takes for the text of a program. */
function isProgramText(command: ShellCommand, index: number, word: number): boolean {
  const { words, loose } = command;
  const name = nameOf(words[index]!);
  if (name === 'ssh') return word >= afterHost(words, index);
  if (shells.test(name)) return isScript(command, index, word);
  if (/^([gmn]?awk|sed)$/.test(name) && firstArgument(words, index) === word) return true;
  let before = word - 1;
  while (before > index && loose.has(before)) before--;
  return textOptions.some(([program, option]) => program.test(name) && option.test(words[before]!));
}

/** Of `sh -c`: its script, or a word that takes the script's place if that turns out to be nothing. */
function isScript({ words, loose }: ShellCommand, shell: number, word: number): boolean {
  const script = scriptIndex(words, shell);
  if (script === undefined || word < script) return false;
  return word === script || [...loose].some((place) => place > shell && place <= script);
}

/** Where the text of `sh -c` stands, behind all options; undefined without `-c`. */
function scriptIndex(words: readonly string[], shell: number): number | undefined {
  let isText = false;
  let index = shell + 1;
  // `busybox sh -c`
  if (shells.test(words[index] ?? '')) index++;
  for (; index < words.length && isOption(words[index]!); index++) {
    isText ||= /^-[A-Za-z]*c/.test(words[index]!);
    if (/^([-+][A-Za-z]*[oO]|--rcfile|--init-file)$/.test(words[index]!)) index++;
  }
  return isText ? index : undefined;
}

/** Of `awk` and `sed`: their program, unless it comes from a file or behind an option of its own. */
function firstArgument(words: readonly string[], program: number): number | undefined {
  for (let index = program + 1; index <= words.length; index++) {
    const word = words[index] ?? '';
    if (!isOption(word)) return index;
    if (/^(-\w*[fe]|--(file|expression).*)$/.test(word)) return undefined;
    if (/^-[vF]$/.test(word)) index++;
  }
  return undefined;
}

function afterHost(words: readonly string[], ssh: number): number {
  let index = ssh + 1;
  for (; index < words.length && isOption(words[index]!); index++) {
    if (/^-\w*[BbcDEeFIiJLlmOopQRSWw]$/.test(words[index]!)) index++;
  }
  return index + 1;
}
