import { isPlainObject, shellWord } from '../../base/index.ts';
import { keeping, checkPaths } from '../define/check-paths.ts';
import { actionOf } from '../github-actions.ts';
import type { Path } from '../problems.ts';
import { translateEnvironment } from './environment.ts';
import type { Notes } from './notes.ts';
import { rewriteRunnerFiles } from './runner-files.ts';
import { Untranslatable, type JobScope } from './job-scope.ts';
import {
  bareCondition,
  parseOrRefuse,
  withoutStatus,
  shellTest,
  translateCommand,
  type ShellScope,
} from './translate-text.ts';
import { writeCondition } from './write-expression.ts';

/** The steps of a job as one script. */
export interface Script {
  readonly blocks: string[];
  readonly shells: Set<'bash' | 'sh'>;
  /** A shell that was named makes the failure of any part of a pipe count. */
  isStrict: boolean;
  readonly artifacts: Set<string>;
  readonly secrets: Set<string>;
  /** Variables whose values hold expressions: the task sets them, since no shell should. */
  readonly env: Map<string, string>;
  readonly scope: ShellScope;
}

type Step = Readonly<Record<string, unknown>>;

interface Place {
  readonly at: Path;
  readonly notes: Notes;
  readonly script: Script;
}

export function translateSteps(
  steps: unknown,
  { at, notes, scope }: { at: Path; notes: Notes; scope: JobScope },
): Script {
  const secrets = new Set<string>();
  const script: Script = {
    blocks: [],
    shells: new Set(),
    isStrict: false,
    artifacts: new Set(),
    secrets,
    env: new Map(),
    scope: { ...scope, outputs: new Map<string, string>(), needsSecret: (name) => void secrets.add(name) },
  };
  (Array.isArray(steps) ? steps : []).forEach((step: unknown, index) => {
    if (isPlainObject(step)) translateStep(step, { at: [...at, index], notes, script });
  });
  return script;
}

function translateStep(step: Step, place: Place): void {
  if (typeof step['uses'] === 'string') return leaveAction(step['uses'], step, place);
  if (typeof step['run'] !== 'string') return;
  try {
    translateRun(step, place);
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    place.notes.todo(place.at, stepName(step), `Write it yourself: ${error.message}.`);
  }
}

function stepName(step: Step): string {
  const { name, run, uses } = step;
  if (typeof name === 'string') return `the step \`${name}\``;
  return `the step \`${String(run ?? uses).split('\n', 1)[0]}\``;
}

function leaveAction(uses: string, step: Step, { at, notes, script }: Place): void {
  const action = actionOf(uses);
  const given = isPlainObject(step['with']) ? step['with'] : {};
  switch (action?.kind) {
    case 'checkout':
      return leaveCheckout(given, at, notes);
    case 'tool':
      return leaveTool(action.tool!, versionIn(given), { at, notes, script });
    case 'cache':
    case 'download':
      return notes.drop(at, action.name);
    case 'upload':
      return keepArtifacts(given, { at, notes, script });
    default:
      return leaveOther(action?.name ?? uses, { at, notes });
  }
}

function leaveOther(name: string, { at, notes }: Pick<Place, 'at' | 'notes'>): void {
  const todo = name.startsWith('./')
    ? `Write the commands of ${name} into \`run\`.`
    : 'Write the command that it runs, if you need it here.';
  notes.todo(at, name, todo);
}

function leaveTool(tool: string, version: unknown, { at, notes }: Place): void {
  notes.tool(at, tool, version);
  const list = /^\s*\$\{\{\s*matrix\.([\w-]+)\s*\}\}\s*$/.exec(String(version))?.[1];
  if (list === undefined) return;
  const todo = `Choose it in \`run\` (with nvm, mise or the like), or remove \`${list}\` from the matrix: each item runs with the ${tool} that is installed.`;
  notes.todo(at, `the version of ${tool} by \`matrix.${list}\``, todo);
}

function versionIn(given: Step): unknown {
  return Object.entries(given).find(([key]) => /(^|-)version$/.test(key))?.[1];
}

function leaveCheckout(given: Step, at: Path, notes: Notes): void {
  const other = ['repository', 'ref', 'path', 'submodules'].find((key) => given[key] !== undefined);
  if (other === undefined) return notes.drop(at, 'actions/checkout');
  notes.todo(
    at,
    `actions/checkout with \`${other}\``,
    'Fetch that with git, in `run`: the task has the files of this repository at the commit of the run.',
  );
}

function keepArtifacts(given: Step, { at, notes, script }: Place): void {
  const paths = String(given['path'] ?? '')
    .split('\n')
    .map((path) => path.trim().replace(/^\.\/|\/$/g, ''))
    .filter((path) => path !== '');
  const isUsable = checkPaths([...new Set(paths)], keeping, []).length === 0 && paths.length > 0;
  if (!isUsable)
    return notes.todo(
      at,
      'actions/upload-artifact',
      'Name the files or folders in `artifacts` of the task, without patterns.',
    );
  paths.forEach((path) => script.artifacts.add(path));
}

function translateRun(step: Step, place: Place): void {
  const { script, at, notes } = place;
  const shell = shellOf(step['shell']);
  const test = testOf(step, place);
  if (test === never) return notes.drop(at, stepName(step));
  const id = textOf(step['id']);
  const { text, outputs, isSetting, left } = rewriteRunnerFiles(String(step['run']).trim(), id);
  const commands = translateCommand(text, script.scope);
  const directory = directoryOf(step['working-directory'], script.scope);
  const { env, secrets } = translateEnvironment(step['env'], {
    at: [...at, 'env'],
    notes,
    scope: script.scope,
  });
  const mayFail = step['continue-on-error'] === true;
  script.blocks.push(wrap({ commands, env: literalsOf(env, script), directory, test, isSetting, mayFail }));
  script.shells.add(shell);
  script.isStrict ||= step['shell'] !== undefined && shell === 'bash';
  secrets.forEach((name) => script.secrets.add(name));
  const known = script.scope.outputs as Map<string, string>;
  for (const [name, variable] of outputs) known.set(`${id}.${name}`, variable);
  noteRest(step, place, { left, isLeaking: isSetting && changesShell(commands) });
}

function noteRest(
  step: Step,
  { at, notes }: Place,
  { left, isLeaking }: { readonly left: readonly string[]; readonly isLeaking: boolean },
): void {
  if (isLeaking)
    notes.todo(
      at,
      stepName(step),
      'It sets variables for the steps after it, but its `cd` or `exit` now holds for them too: take it apart.',
    );
  if (left.length > 0) {
    const files = left.map((name) => `$${name}`).join(', ');
    notes.todo(at, stepName(step), `It writes to ${files}, which is not there: set a variable instead.`);
  }
  if (step['timeout-minutes'] !== undefined)
    notes.todo(
      at,
      `\`timeout-minutes\` of ${stepName(step)}`,
      'A task has one `timeout`: use that, or `timeout 10m <command>`.',
    );
}

/** What is to be written for the shell. */
function directoryOf(directory: unknown, scope: ShellScope): string | undefined {
  if (directory === undefined) return undefined;
  const text = String(directory);
  if (!text.includes('${{')) return shellWord(text);
  const translated = translateCommand(text, scope);
  if (/^[\w./-]*$/.test(translated.replaceAll(/\$\{\{.*?\}\}/g, ''))) return translated;
  throw new Untranslatable('its `working-directory` is not understood');
}

/** Those that the script can set itself; the others are set by the task. */
function literalsOf(env: ReadonlyMap<string, string>, script: Script): Map<string, string> {
  const literals = new Map<string, string>();
  for (const [name, value] of env) {
    if (!value.includes('${{')) literals.set(name, value);
    else if ((script.env.get(name) ?? value) === value) script.env.set(name, value);
    else throw new Untranslatable(`two steps set \`${name}\` to different values`);
  }
  return literals;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function shellOf(shell: unknown): 'bash' | 'sh' {
  const [name = 'bash'] = typeof shell === 'string' ? shell.split(/\s/, 1) : [];
  if (name === 'bash' || name === 'sh') return name;
  throw new Untranslatable(`it is written for ${name}`);
}

/** Of a step that is for another system. */
const never = 'false';

/** The condition of a step as a test of the shell; undefined: it always runs. */
function testOf(step: Step, { script, at, notes }: Place): string | undefined {
  const condition = step['if'];
  if (condition === undefined || condition === true) return undefined;
  const bare = bareCondition(String(condition));
  if (/\bfailure\s*\(/.test(bare))
    throw new Untranslatable(
      'it runs after a failure. Make it a task that needs this one, with `if: failure()`',
    );
  if (/\b(always|cancelled)\s*\(/.test(bare))
    notes.todo(
      [...at, 'if'],
      `\`if: ${bare}\` of ${stepName(step)}`,
      'On GitHub it runs after a failure too. For that, make it a task that needs this one, with `if: always()`.',
    );
  const node = withoutStatus(parseOrRefuse(bare));
  const test = shellTest(node, script.scope.outputs);
  if (test !== undefined) return test;
  const code = writeCondition(node, script.scope);
  if (code === 'false') return never;
  return code === 'true' ? undefined : `[ \${{ ${code} }} = true ]`;
}

interface Block {
  readonly commands: string;
  readonly env: ReadonlyMap<string, string>;
  readonly directory: string | undefined;
  readonly test: string | undefined;
  readonly isSetting: boolean;
  readonly mayFail: boolean;
}

function wrap({ commands, test, isSetting, mayFail, ...around }: Block): string {
  const settings = settingsOf(around);
  const isApart = settings.length > 0 || changesShell(commands) || (mayFail && commands.includes('\n'));
  const back = isSetting && around.directory !== undefined ? ['cd - > /dev/null'] : [];
  const body = [...settings, commands, ...back].join('\n');
  const grouped = isApart && !isSetting ? `(\n${indent(body)}\n)` : body;
  const tolerant = mayFail ? `${grouped} || true` : grouped;
  return test === undefined ? tolerant : `if ${test}; then\n${indent(tolerant)}\nfi`;
}

function settingsOf({ env, directory }: Pick<Block, 'env' | 'directory'>): string[] {
  return [
    ...[...env].map(([name, value]) => `export ${name}=${shellWord(value)}`),
    ...(directory === undefined ? [] : [`cd ${directory}`]),
  ];
}

/** On GitHub every step has a shell of its own: where it is, and that it ends, is no matter of the next. */
function changesShell(commands: string): boolean {
  return /(^|[\s;&|({])(cd|pushd|popd|exit|set|exec|trap|shopt|umask|ulimit|return|unset|source|\.)(\s|$|;)/m.test(
    commands,
  );
}

/** Not if a line is inside of a text or a here-document, which would not be the same. */
function indent(text: string): string {
  return text.includes('<<') || hasTextOfLines(text) ? text : text.replaceAll(/^(?=.)/gm, '  ');
}

function hasTextOfLines(text: string): boolean {
  return [...text.matchAll(/\\[^]|"(?:[^"\\]|\\[^])*"|'[^']*'/g)].some(
    ([part]) => part.length > 2 && part.includes('\n'),
  );
}
