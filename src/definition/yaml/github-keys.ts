import { isPlainObject } from '../../base/index.ts';
import type { Path } from '../problems.ts';

/**
 * What people write who know GitHub Actions, and what to write here instead. Each answers with the line to write, made from
 * what was written; undefined: it is not that habit.
 */
type Translation = (value: unknown, key: string) => string | undefined;

const always =
  (text: string): Translation =>
  () =>
    text;

const ofFile: Readonly<Record<string, Translation>> = {
  jobs: always('Write `tasks:` instead. To translate a whole file: piton init --from-github <file>.'),
  on: always('Remove it: a run is started by `piton run`, from a terminal, a hook or cron.'),
  permissions: (value) =>
    isPlainObject(value)
      ? 'Remove it: tasks have no token of GitHub unless `secrets` gives them one.'
      : undefined,
  concurrency: always(
    'Remove it. To let only one run at a time use something: `repository-locks: [name]` on the task.',
  ),
  'run-name': always('Remove it: `piton run <workflow> --id <name>` names a run.'),
  steps: always('Put them on a task: `tasks: { build: { run: … } }`.'),
  strategy: always('Put `for-each: { matrix: … }` on the task.'),
};

const ofTask: Readonly<Record<string, Translation>> = {
  steps: translateSteps,
  'runs-on': always(
    'Remove it: tasks run on this machine; on another one with `workspace: { remote: <name> }`.',
  ),
  strategy: translateStrategy,
  matrix: (value) => `Write ${forEachLine(value, {})}.`,
  'timeout-minutes': (value) =>
    typeof value === 'number' ? `Write \`timeout: ${value}m\`.` : 'Write `timeout: 10m`.',
  retries: translateRetries,
  'max-retries': translateRetries,
  'max-attempts': (value) => `Write \`retry: ${typeof value === 'number' ? value : 3}\`.`,
  name: always('Remove it: a task is called by its key.'),
  id: always('Remove it: a task is called by its key.'),
  outputs: translateOutputs,
  container: always('Run it yourself: `run: docker run --rm …`.'),
  services: always('Start them yourself, in a task that the others need, or in `setup`.'),
  environment: always('Ask a person instead: `approval: Deploy to production?`.'),
  concurrency: always('Write `repository-locks: [name]`: one task of all runs holds it at a time.'),
  'depends-on': translateNeeds,
  depends_on: translateNeeds,
  dependsOn: translateNeeds,
  script: always('Write `run:` instead.'),
  command: always('Write `run:` instead.'),
};

const ofForEach: Readonly<Record<string, Translation>> = {
  include: always('Put it into the matrix: `matrix: { os: [linux], include: [{ os: mac }] }`.'),
  exclude: always('Put it into the matrix: `matrix: { os: [linux, mac], exclude: [{ os: mac }] }`.'),
};

const ofDefaults: Readonly<Record<string, Translation>> = {
  run: (value) =>
    isPlainObject(value)
      ? 'Write `defaults: { shell: bash, working-directory: app }`, without `run`.'
      : undefined,
};

/** What to write instead of a key of GitHub Actions (and a few other tools), if it is one. */
export function translateKey(key: string, at: Path, value: unknown): string | undefined {
  const translations = tableFor(at);
  return translations !== undefined && Object.hasOwn(translations, key)
    ? translations[key]!(value, key)
    : undefined;
}

function tableFor(at: Path): Readonly<Record<string, Translation>> | undefined {
  if (at.length === 0) return ofFile;
  if (at.length === 1 && at[0] === 'defaults') return ofDefaults;
  if (at.at(-2) === 'tasks' || at.at(-2) === 'graph') return ofTask;
  return at.at(-1) === 'for-each' ? ofForEach : undefined;
}

const mostLines = 12;

function translateSteps(steps: unknown): string {
  const whole = 'A task is one command. Write all steps as one `run`, or a task for each with `needs`.';
  const commands = (Array.isArray(steps) ? steps : []).flatMap((step: unknown) =>
    isPlainObject(step) && typeof step['run'] === 'string' ? step['run'].trimEnd().split('\n') : [],
  );
  if (commands.length === 0) return whole;
  if (commands.length === 1) return `Write \`run: ${commands[0]}\`.`;
  const shown = commands.slice(0, mostLines).map((line) => `\n  ${line}`);
  const rest = commands.length > mostLines ? '\n  …' : '';
  return `A task is one command. Write:\nrun: |\n  set -e${shown.join('')}${rest}`;
}

function translateStrategy(strategy: unknown): string {
  if (!isPlainObject(strategy)) return 'Write `for-each: { matrix: { os: [linux, mac] } }`.';
  const { matrix, 'max-parallel': parallel, 'fail-fast': failFast } = strategy;
  const settings = {
    ...(parallel !== undefined && { 'max-parallel': parallel }),
    'fail-fast': failFast ?? true,
  };
  return `Write ${forEachLine(matrix, settings)}.`;
}

const longestLine = 200;

/** In one line where it is short, else its beginning. */
function forEachLine(matrix: unknown, settings: object): string {
  const parts = [
    `matrix: ${flow(matrix)}`,
    ...Object.entries(settings).map(([key, value]) => `${key}: ${flow(value)}`),
  ];
  const line = `for-each: { ${parts.join(', ')} }`;
  return line.length <= longestLine
    ? `\`${line}\``
    : '`for-each: { matrix: … }`, with the same lists, `include` and `exclude`';
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (isPlainObject(value)) {
    const entries = Object.entries(value).map(([key, entry]) => `${key}: ${flow(entry)}`);
    return `{ ${entries.join(', ')} }`;
  }
  return typeof value === 'string' && !/^[A-Za-z][\w.-]*$/.test(value)
    ? JSON.stringify(value)
    : String(value ?? '…');
}

function translateRetries(value: unknown): string {
  if (typeof value !== 'number') return 'Write `retry: 3`, which counts all attempts.';
  return `\`retry\` counts all attempts: write \`retry: ${value + 1}\` for ${value} after the first.`;
}

function translateOutputs(value: unknown): string {
  const names = isPlainObject(value) ? Object.keys(value) : [];
  const fields = names.length === 0 ? 'name: string' : names.map((name) => `${name}: string`).join(', ');
  return `Write \`output: { ${fields} }\`, and let the command print JSON, or write it to \`$PITON_OUTPUT\`.`;
}

function translateNeeds(value: unknown): string {
  return `Write \`needs: ${Array.isArray(value) || typeof value === 'string' ? flow(value) : '[…]'}\`.`;
}
