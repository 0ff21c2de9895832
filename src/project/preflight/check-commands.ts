import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { isInside, isPlainObject, readBounded, shellWord } from '../../base/index.ts';
import { commandsIn } from '../../definition/index.ts';
import type { CommandWork, TaskSpec } from '../../model/index.ts';
import type { Lack } from './finding.ts';
import { mayBring, type Wanted } from './may-bring.ts';
import { searchPathOf, type SearchPlace } from './programs.ts';
import type { CheckedTask } from './checked-task.ts';
import { programsIn, scriptIn, type ScriptName } from './words.ts';

/** A command of a task: its work, its check, or what sets up its place. */
interface Command {
  readonly key: 'run' | 'check' | 'setup';
  readonly work: CommandWork;
}

/** Programs and scripts that the commands of a task start, and that are not there. */
export function checkCommands(checked: CheckedTask): Lack[] {
  return commandsOf(checked).flatMap((command) => checkCommand(checked, command));
}

function commandsOf({ task: { spec }, hasPlace }: CheckedTask): Command[] {
  const { work, check, setup } = spec;
  return [
    ...(work.type === 'command' ? [{ key: 'run' as const, work }] : []),
    ...(check === undefined ? [] : [{ key: 'check' as const, work: check.work }]),
    ...(setup?.work === undefined || !hasPlace ? [] : [{ key: 'setup' as const, work: setup.work }]),
  ];
}

function checkCommand(checked: CheckedTask, command: Command): Lack[] {
  const { run, shell, env } = command.work;
  const place = { folder: folderOf(checked, command), searchPath: searchPathOf(env, checked.env) };
  const checking = { checked, command, place };
  if (typeof run !== 'string') return checkWords(checking, run, true);
  const lacking = checkProgram(checking, shell, true);
  const read = commandsIn(run, shell);
  if (lacking.length > 0 || read === undefined) return lacking;
  const isSimple = read.isSimple && !/\$\(|`|<\(|>\(/.test(run);
  const seen = new Map<string, Lack>();
  for (const words of programsIn(read.commands, run))
    for (const lack of checkWords(checking, words, isSimple)) seen.set(lack.message, lack);
  return [...seen.values()];
}

/** Undefined: it is not known before the task begins, or is no folder of this repository. */
function folderOf(
  { folder }: CheckedTask,
  { key, work: { workingDirectory = '.' } }: Command,
): string | undefined {
  // A setup works at the root of the place.
  const inside = key === 'setup' ? '.' : workingDirectory;
  return folder === undefined || inside.includes('${{') ? undefined : resolve(folder, inside);
}

interface Checking {
  readonly checked: CheckedTask;
  readonly command: Command;
  readonly place: SearchPlace;
}

function checkWords(checking: Checking, words: readonly string[], isCertain: boolean): Lack[] {
  const [program = ''] = words;
  if (!/^[\w./@+-]+$/.test(program)) return [];
  const lacking = checkProgram(checking, program, isCertain);
  const script = lacking.length === 0 ? scriptIn(words) : undefined;
  return script === undefined ? lacking : checkScript(checking, script, isCertain);
}

function checkProgram(checking: Checking, program: string, isCertain: boolean): Lack[] {
  const { checked, place } = checking;
  if (program.includes('/') && !isAbsolute(program))
    return checkFile(checking, program, { isCertain, isRun: true });
  const state = checked.programs.find(program, place);
  if (state === 'there' || state === 'unknown') return [];
  const message = program.includes('/')
    ? `There is no \`${program}\`.`
    : `\`${program}\` is not on the PATH.`;
  const remedy = 'Install it, or correct the command.';
  return [lackOf(checking, { wanted: { program }, message, remedy, isCertain })];
}

function checkScript(checking: Checking, script: ScriptName, isCertain: boolean): Lack[] {
  const { checked, place } = checking;
  if ('file' in script) {
    // A shell looks for it on the PATH too.
    const isOnPath = !script.file.includes('/') && checked.programs.find(script.file, place) === 'there';
    return isOnPath ? [] : checkFile(checking, script.file, { isCertain, isRun: false });
  }
  const file = place.folder === undefined ? undefined : join(place.folder, 'package.json');
  const scripts = file === undefined ? undefined : scriptsIn(checked, file);
  if (scripts === undefined || scripts.includes(script.name)) return [];
  const known = scripts.length === 0 ? 'It has none.' : `It has ${scripts.slice(0, 10).join(', ')}.`;
  const message = `${file} has no script \`${script.name}\`. ${known}`;
  return [lackOf(checking, { wanted: 'file', message, remedy: 'Add it, or correct its name.', isCertain })];
}

/** `isRun`: it is started itself, so it has to be executable. */
function checkFile(
  checking: Checking,
  file: string,
  { isCertain, isRun }: { readonly isCertain: boolean; readonly isRun: boolean },
): Lack[] {
  const { checked, place } = checking;
  if (place.folder === undefined) return [];
  const told = troubleWith(checked, resolve(place.folder, file), isRun);
  if (told === undefined) return [];
  const [what, remedy] = troubles[told](file, place.folder);
  // Another way than git may bring it there.
  const isSure = isCertain && told !== 'uncommitted';
  return [lackOf(checking, { wanted: 'file', message: what, remedy, isCertain: isSure })];
}

type Trouble = 'missing' | 'not-executable' | 'uncommitted';

function troubleWith(checked: CheckedTask, path: string, isRun: boolean): Trouble | undefined {
  const { committed, config } = checked;
  // What lies outside of the folder of the run is not looked for in the commit.
  if (committed === undefined || !isInside(relative(config.root, path)))
    return troubleHere(checked, path, isRun);
  const found = committed.find(path);
  if (found !== undefined) return isRun && !found.isExecutable ? 'not-executable' : undefined;
  return existsSync(path) ? 'uncommitted' : 'missing';
}

function troubleHere({ programs }: CheckedTask, path: string, isRun: boolean): Trouble | undefined {
  if (!isRun) return existsSync(path) ? undefined : 'missing';
  const state = programs.find(path, { folder: '/', searchPath: '' });
  return state === 'missing' || state === 'not-executable' ? state : undefined;
}

const troubles: Readonly<
  Record<Trouble, (file: string, folder: string) => readonly [what: string, remedy: string]>
> = {
  missing: (file, folder) => [`There is no \`${file}\` in ${folder}.`, 'Correct the path, or add the file.'],
  'not-executable': (file) => [`\`${file}\` is not executable.`, `Make it so: chmod +x ${shellWord(file)}.`],
  uncommitted: (file) => [
    `\`${file}\` is not committed, and the task works in a worktree, which holds only what is.`,
    'Commit it, or bring it there with `setup`.',
  ],
};

/** Undefined: there is no package.json in that folder itself, or none that can be read; npm would look further up. */
function scriptsIn({ committed }: CheckedTask, file: string): readonly string[] | undefined {
  try {
    const text = committed === undefined ? readBounded(file).toString('utf8') : (committed.text(file) ?? '');
    const value: unknown = JSON.parse(text);
    const scripts = isPlainObject(value) ? (value['scripts'] ?? {}) : undefined;
    return isPlainObject(scripts) ? Object.keys(scripts) : undefined;
  } catch {
    return undefined;
  }
}

interface Missing extends Pick<Lack, 'message'> {
  readonly wanted: Wanted;
  readonly remedy: string;
  /** The command is executed for certain if the task begins. */
  readonly isCertain: boolean;
}

/** An error only if it is certain: what an earlier step may bring is told, and stops nothing. */
function lackOf({ checked, command: { key } }: Checking, missing: Missing): Lack {
  const { task } = checked;
  const { wanted, message, remedy, isCertain } = missing;
  const at = { kind: wanted === 'file' ? 'script' : 'program', task: task.path, key, message } as const;
  if (isBrought(checked, key, wanted))
    return { ...at, level: 'warning', remedy: `Unless an earlier step brings it: ${lowerFirst(remedy)}` };
  return { ...at, level: isCertain && !task.isOptional() ? 'error' : 'warning', remedy };
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** By an earlier task; by the setup of the task itself; or, for a check, by its agent. */
function isBrought({ task, hasPlace }: CheckedTask, key: Command['key'], wanted: Wanted): boolean {
  const { check: _check, setup, ...bare } = task.spec;
  const own: TaskSpec[] = [
    ...(key === 'setup' || setup?.work === undefined || !hasPlace ? [] : [{ ...bare, work: setup.work }]),
    ...(key === 'check' ? [bare] : []),
  ];
  return own.some((one) => mayBring(one, wanted)) || task.mayBeBrought(wanted);
}
