import { isPlainObject, shellWord } from '../../base/index.ts';
import type { Path } from '../problems.ts';
import { translateEnvironment } from './environment.ts';
import { otherSystemOf, translateMatrix, type TranslatedMatrix } from './matrix.ts';
import type { Notes } from './notes.ts';
import { rewriteRunnerFiles } from './runner-files.ts';
import { Untranslatable, type JobScope } from './job-scope.ts';
import { translateCommand, translateCondition } from './translate-text.ts';
import { translateSteps, type Script } from './translate-steps.ts';

export type Job = Readonly<Record<string, unknown>>;
/** A task as it is to be written. */
export type TaskEntry = Readonly<Record<string, unknown>>;

export interface JobPlace {
  readonly at: Path;
  readonly notes: Notes;
  /** Without the matrix, which is the job's own. */
  readonly scope: Omit<JobScope, 'matrix'>;
  /** Names of the jobs that become tasks. */
  readonly tasks: ReadonlySet<string>;
  /** `defaults.run` of the file. */
  readonly defaults: Job;
}

/** Why it is not translated at all, which can be known before its steps are looked at; undefined: it is. */
export function reasonToLeaveJob(job: Job): string | undefined {
  if (typeof job['uses'] === 'string') return reasonToLeaveCall(job['uses']);
  const system = otherSystemOf(job['runs-on']);
  if (system !== undefined)
    return `It runs on ${system}, and tasks run on this machine: write it yourself if it is to run here.`;
  const steps = Array.isArray(job['steps']) ? job['steps'] : [];
  const hasCommand = steps.some((step: unknown) => isPlainObject(step) && typeof step['run'] === 'string');
  return hasCommand ? undefined : 'Its steps are actions only: write a task with the command that you need.';
}

/** Of a job that calls a workflow in another file. */
function reasonToLeaveCall(uses: string): string {
  if (!uses.startsWith('./')) return 'Write a task that does the same.';
  const name = uses.slice(uses.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '');
  return `Translate it too: piton init --from-github ${shellWord(uses.slice(2))}. Then add a task with \`uses: ./${name}.yaml\`.`;
}

export interface TranslatedJob {
  readonly entry: TaskEntry;
  /** Not every shell understands its script. */
  readonly needsBash: boolean;
}

/** Throws `Untranslatable`. */
export function translateJob(job: Job, place: JobPlace): TranslatedJob {
  const { at, notes } = place;
  const matrix = translateMatrix(job['strategy'], { at, notes, job });
  const scope: JobScope = { ...place.scope, matrix: matrix?.fields };
  const { env, secrets } = translateEnvironment(job['env'], { at: [...at, 'env'], notes, scope });
  const known = new Map([...scope.env, ...[...env].filter(([, value]) => !value.includes('${{'))]);
  const script = translateSteps(job['steps'], {
    at: [...at, 'steps'],
    notes,
    scope: { ...scope, env: known },
  });
  if (script.blocks.length === 0) throw new Untranslatable('none of its steps could be translated');
  const output = outputOf(job['outputs'], script);
  noteRest(job, place);
  const entry = entryOf({
    job,
    place,
    matrix,
    script,
    output,
    env: new Map([...env, ...script.env]),
    secrets: [...new Set([...secrets, ...script.secrets])],
    scope: { ...scope, env: known },
  });
  return { entry, needsBash: script.shells.has('bash') && !isPlain(script) };
}

interface Parts {
  readonly job: Job;
  readonly place: JobPlace;
  readonly matrix: TranslatedMatrix | undefined;
  readonly script: Script;
  readonly output: string | undefined;
  readonly env: ReadonlyMap<string, string>;
  readonly secrets: readonly string[];
  readonly scope: JobScope;
}

function entryOf({ job, place, matrix, script, output, env, secrets, scope }: Parts): TaskEntry {
  const needs = needsOf(job).filter((name) => place.tasks.has(name));
  const entry = {
    needs: oneOrMore(needs),
    if: conditionOf(job, place, scope),
    'for-each': matrix?.forEach,
    approval: approvalOf(job['environment']),
    timeout: timeoutOf(job, place),
    'continue-on-error': job['continue-on-error'] === true ? true : undefined,
    'working-directory': directoryOf(job, place),
    env: env.size > 0 ? Object.fromEntries(env) : undefined,
    secrets: oneOrMore(secrets),
    artifacts: script.artifacts.size > 0 ? [...script.artifacts] : undefined,
    capture: output === undefined ? undefined : 'last-line',
    run: scriptText(script, output),
  };
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

function oneOrMore(names: readonly string[]): string | readonly string[] | undefined {
  return names.length > 1 ? names : names[0];
}

/** `defaults.run.working-directory`, of the job or the file. */
function directoryOf(job: Job, { defaults }: JobPlace): string | undefined {
  const own = isPlainObject(job['defaults']) ? job['defaults']['run'] : undefined;
  const { 'working-directory': directory } = isPlainObject(own) ? own : defaults;
  return typeof directory === 'string' && !directory.includes('${{') ? directory : undefined;
}

/** Without anything that only bash might know. */
function isPlain({ blocks, isStrict }: Script): boolean {
  return (
    blocks.every((block) => /^[\w ./:@%+=,"'&|>-]*$/.test(block.replaceAll(/\$\{\{.*?\}\}|\n/g, ''))) &&
    !isStrict
  );
}

function scriptText({ blocks, isStrict }: Script, output: string | undefined): string {
  const [only] = blocks;
  const lines = output === undefined ? blocks : [...blocks, `echo "${output}"`];
  if (lines.length === 1 && !only!.includes('\n')) return only!;
  return `${[isStrict ? 'set -eo pipefail' : 'set -e', ...lines].join('\n')}\n`;
}

export function needsOf(job: Job): string[] {
  const { needs } = job;
  if (typeof needs === 'string') return [needs];
  return Array.isArray(needs) ? needs.filter((name): name is string => typeof name === 'string') : [];
}

/** What only GitHub decides is decided by a person here: better that than a deployment that nobody wanted. */
function conditionOf(job: Job, { at, notes }: JobPlace, scope: JobScope): string | boolean | undefined {
  const condition = job['if'];
  if (condition === undefined || condition === true) return undefined;
  try {
    const code = translateCondition(String(condition), scope);
    return code === 'true' || code === 'success()' ? undefined : code;
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    notes.todo(
      [...at, 'if'],
      `\`if: ${String(condition)}\``,
      `Write the condition: ${error.message}. Until then the task never runs.`,
    );
    return false;
  }
}

function approvalOf(environment: unknown): string | undefined {
  const name = isPlainObject(environment) ? environment['name'] : environment;
  return typeof name === 'string' && !name.includes('${{') ? `Go on with ${name}?` : undefined;
}

function timeoutOf(job: Job, { at, notes }: JobPlace): string | undefined {
  const minutes = job['timeout-minutes'];
  if (minutes === undefined) return undefined;
  if (typeof minutes === 'number' && minutes > 0) return `${minutes}m`;
  notes.todo([...at, 'timeout-minutes'], '`timeout-minutes`', 'Write `timeout: 10m`.');
  return undefined;
}

/** A single output is what the script prints last. */
function outputOf(outputs: unknown, script: Script): string | undefined {
  const values = Object.values(isPlainObject(outputs) ? outputs : {});
  if (values.length !== 1 || typeof values[0] !== 'string') return undefined;
  try {
    const text = translateCommand(values[0], script.scope);
    return /^\$\{\w+\}$/.test(text) ? text : undefined;
  } catch (error) {
    if (error instanceof Untranslatable) return undefined;
    throw error;
  }
}

const stepOutput = /^\s*\$\{\{\s*steps\.([\w-]+)\.outputs\.(\w+)\s*\}\}\s*$/;

/** The name of the output that the task has, if there is one. */
export function onlyOutput(job: Job): string | undefined {
  const entries = Object.entries(isPlainObject(job['outputs']) ? job['outputs'] : {});
  const [name, value] = entries[0] ?? [];
  const [, id, output] = stepOutput.exec(String(value)) ?? [];
  if (entries.length !== 1 || id === undefined) return undefined;
  const command = commandOf(job, id);
  return command !== undefined && rewriteRunnerFiles(command, id).outputs.has(output!) ? name : undefined;
}

/** Of the step with this id. */
function commandOf({ steps }: Job, id: string): string | undefined {
  const found: unknown = Array.isArray(steps)
    ? steps.find((step: unknown) => isPlainObject(step) && step['id'] === id)
    : undefined;
  return isPlainObject(found) && typeof found['run'] === 'string' ? found['run'].trim() : undefined;
}

const noteworthy: Readonly<Record<string, string>> = {
  container: 'Run the commands in it yourself: `docker run --rm -v "$PWD:/src" -w /src <image> …`.',
  services: 'Start them yourself before the run, or in a task that the others need.',
};

function noteRest(job: Job, { at, notes }: JobPlace): void {
  for (const [key, todo] of Object.entries(noteworthy)) {
    if (job[key] !== undefined) notes.todo([...at, key], `\`${key}\``, todo);
  }
  if (isPlainObject(job['outputs']) && onlyOutput(job) === undefined)
    notes.todo(
      [...at, 'outputs'],
      `the outputs \`${Object.keys(job['outputs']).join('`, `')}\``,
      'Write `output: { name: string }`, and let the task print JSON, or write it to `$PITON_OUTPUT`.',
    );
  if (typeof job['continue-on-error'] === 'string')
    notes.todo(
      [...at, 'continue-on-error'],
      '`continue-on-error` by an expression',
      'Write `continue-on-error: true` if all items may fail.',
    );
}
