import type { ASTNode } from '@marcbachmann/cel-js';
import { originalText, type Objection } from './cel-errors.ts';
import type { CelSource } from './cel-source.ts';
import { chainsOf, type Step } from './chains.ts';
import { ourWord } from './impossible-comparison.ts';
import { isMark, tokenize } from './tokens.ts';

/** What people write who know the expressions of GitHub Actions: the objection says what to write instead. */
export function translateHabit(objection: Objection, source: CelSource): Objection {
  const habit = habits[objection.code]?.(objection, source);
  return habit === undefined ? objection : { ...objection, ...habit };
}

type Habit = (objection: Objection, source: CelSource) => Partial<Objection> | undefined;

const habits: Readonly<Record<string, Habit>> = {
  unexpected_character: translateEquals,
  expected_token: translateFilter,
  unknown_variable: translateContext,
  no_matching_overload: translateCall,
  no_such_key: translateField,
  invalid_logical_operand: translateChoice,
};

function translateEquals({ offset }: Objection, { original }: CelSource): Partial<Objection> | undefined {
  const tokens = tokenize(original);
  const found = tokens.findIndex(({ start }) => start === offset);
  const isLone =
    isMark(tokens[found], '=') && !isMark(tokens[found + 1], '=') && !isMark(tokens[found - 1], '=');
  return isLone ? { message: '`=` does not compare.', remedy: 'Write `==`.' } : undefined;
}

function translateFilter({ offset }: Objection, { original }: CelSource): Partial<Objection> | undefined {
  if (original.slice(offset - 1, offset + 1) !== '.*') return undefined;
  const remedy = 'Write `.map(x, x.name)` for the field `name` of all of them.';
  return { message: '`.*` is not possible here.', remedy };
}

/** By the variable: what to write for the fields that were read. */
const contexts: Readonly<Record<string, (fields: readonly string[]) => string>> = {
  github: translateGithub,
  secrets: ([name = 'NAME']) => `Write \`secrets: ${name}\` on the task, and \`$${name}\` in its command.`,
  env: ([name = 'NAME']) => `Write \`$${name}\` in the command; \`env\` sets it.`,
  vars: ([name = 'name']) =>
    `Make it an input (\`inputs: { ${name}: string }\`), and read \`inputs.${name}\`.`,
  steps: () =>
    'A task has no steps: keep the value in a variable of the shell, or make the step a task and read `needs.<task>.output`.',
  matrix: () => 'The task needs `for-each: { matrix: { … } }`.',
  strategy: () => '`key` is the key of the item.',
  runner: () => 'Tasks run on this machine: ask the command itself, such as `uname -s`.',
  job: () => 'Read `needs.<task>.status`, or ask `success()` or `failure()`.',
};

const ofGithub: Readonly<Record<string, string>> = {
  run_id: 'Read `run.id`.',
  run_number: 'Read `run.id`.',
  run_attempt: 'Use `$PITON_ATTEMPT` in the command.',
  token: 'Write `secrets: GITHUB_TOKEN` on the task, and `$GITHUB_TOKEN` in its command.',
  workspace: 'Use `$PWD` in the command: tasks start in the folder of the repository.',
  sha: 'Use `$(git rev-parse HEAD)` in the command.',
};

function translateGithub([field = 'event', ...rest]: readonly string[]): string {
  if (Object.hasOwn(ofGithub, field)) return ofGithub[field]!;
  if (field === 'event' && rest[0] === 'inputs') return `Read \`inputs.${rest[1] ?? 'name'}\`.`;
  const name = field === 'event' ? (rest.at(-1) ?? field) : field;
  return `A run knows nothing of GitHub: make it an input (\`inputs: { ${name}: string }\`), and read \`inputs.${name}\`.`;
}

function translateContext({ offset }: Objection, { original }: CelSource): Partial<Objection> | undefined {
  const chain = chainsOf(original, new Set()).find(({ start }) => start === offset);
  if (chain === undefined || !Object.hasOwn(contexts, chain.root)) return undefined;
  return { remedy: contexts[chain.root]!(chain.steps.map(({ name }: Step) => name)) };
}

/** By the function: what to write for the texts of its arguments. */
const functions: Readonly<Record<string, (given: readonly string[]) => string>> = {
  contains: ([whole = 'a', part = 'b']) =>
    `Write \`${whole}.contains(${part})\`, or \`${part} in ${whole}\` for a list.`,
  startswith: ([whole = 'a', part = 'b']) => `Write \`${whole}.startsWith(${part})\`.`,
  endswith: ([whole = 'a', part = 'b']) => `Write \`${whole}.endsWith(${part})\`.`,
  join: ([list = 'a', between = '","']) => `Write \`${list}.join(${between})\`.`,
  format: (given) => `Write \`${formatted(given)}\`.`,
  tojson: ([value = 'a']) => `Write \`\${{ ${value} }}\`: in a text, lists and records become JSON.`,
  fromjson: () =>
    'Give the task an `output` (`output: { name: string }`): what it prints is then read as JSON.',
  hashfiles: () => 'Hash them in the command, such as `sha256sum package-lock.json`.',
};

function translateCall({ node }: Objection, source: CelSource): Partial<Objection> | undefined {
  if (node?.op !== 'call') return undefined;
  const [name, given] = node.args as [string, readonly ASTNode[]];
  const known = name.toLowerCase();
  if (!Object.hasOwn(functions, known)) return undefined;
  return {
    message: `There is no function \`${name}()\`.`,
    remedy: functions[known]!(given.map((argument) => originalText(argument, source))),
  };
}

/** `format('{0} of {1}', a, b)` as a sum of texts. */
function formatted([pattern = "''", ...given]: readonly string[]): string {
  const parts = pattern
    .slice(1, -1)
    .split(/\{(\d+)\}/)
    .map((part, index) => (index % 2 === 0 ? part && `'${part}'` : `string(${given[Number(part)] ?? '…'})`));
  return parts.filter((part) => part !== '').join(' + ');
}

const fields: Readonly<Record<string, string>> = {
  result: 'status',
  conclusion: 'status',
  outcome: 'status',
};

/** Of `needs.<task>`, where it is not written so. */
function translateField({ node }: Objection, source: CelSource): Partial<Objection> | undefined {
  if (node?.op !== '.') return undefined;
  const owner = originalText(node.args[0], source);
  const field = String(node.args[1]);
  if (!/^(needs|tasks)\b[^.]*\.[^.]+$/.test(owner)) return undefined;
  const after = source.original.slice(source.locate(node.end));
  if (Object.hasOwn(fields, field))
    return { remedy: `Write \`${owner}.${fields[field]}${comparedWith(after)}\`.` };
  if (field !== 'outputs') return undefined;
  const read = /^\.(\w+)/.exec(after)?.[1];
  if (read === undefined) return { remedy: `Write \`${owner}.output\`.` };
  const task = owner.slice(owner.indexOf('.') + 1);
  return {
    remedy: `Write \`${owner}.output.${read}\`, and add \`output: { ${read}: string }\` to \`${task}\`.`,
  };
}

/** ` == 'succeeded'`, if it is compared with GitHub's word for that. */
function comparedWith(after: string): string {
  const [, operator, quote, word] =
    /^(\s*[=!]=\s*)(['"])(success|failure|cancelled|skipped)\2/.exec(after) ?? [];
  return word === undefined ? '' : `${operator}${quote}${ourWord(word)}${quote}`;
}

/** `a && 'b' || 'c'`, which chooses a value on GitHub. */
function translateChoice({ node }: Objection, source: CelSource): Partial<Objection> | undefined {
  if (node?.op !== '&&' && node?.op !== '||') return undefined;
  const remedy = `Both sides have to be true or false. To choose a value: \`${choice(node, source)}\`.`;
  return { message: `\`${node.op}\` does not choose a value.`, remedy };
}

function choice(node: Extract<ASTNode, { op: '&&' | '||' }>, source: CelSource): string {
  const [left, right] = node.args.map((side) => originalText(side, source));
  if (node.op === '||') return `${left} != "" ? ${left} : ${right}`;
  const rest = /^\s*\|\|\s*(.+)$/s.exec(source.original.slice(source.locate(node.end)))?.[1];
  return `${left} ? ${right} : ${rest ?? '""'}`;
}
