import { isPlainObject } from '../../base/index.ts';
import { traitsOf } from '../../model/index.ts';
import { notOfAgent } from '../define/finish-check.ts';
import type { Finding, Path } from '../problems.ts';
import { toList } from './convert-settings.ts';
import type { Defaults, NodeEntry, TaskEntry } from './file-schema.ts';

export type Entry = TaskEntry & NodeEntry;

/** What the file as a whole gives to each of its commands and agents. */
export type SharedByProcesses = Pick<Entry, 'env' | 'secrets' | 'inherit-env' | 'setup'>;

const ofCommands = ['shell', 'capture'] as const;
const ofAgents = [
  'agent',
  'permissions',
  'session',
  'model',
  'effort',
  'max-turns',
  'idle-timeout',
  'budget',
  'args',
  'check',
] as const;
const ofBoth = [
  'env',
  'secrets',
  'inherit-env',
  'working-directory',
  'workspace',
  'setup',
  'on-conflict',
  'sandbox',
  'network',
] as const;

/** Nothing is done while a person is asked. */
const ofWork = [
  'retry',
  'timeout',
  'on-interrupt',
  'locks',
  'repository-locks',
  'writes',
  'resources',
  'errors',
  'output',
  'artifacts',
  'pool',
  'version',
] as const;

/** What a task has that does not say otherwise. */
interface GivenToAll {
  readonly defaults: Defaults;
  readonly shared: SharedByProcesses;
}

type KindKey = (typeof ofCommands | typeof ofAgents | typeof ofBoth | typeof ofWork)[number];

/** Keys that mean nothing for this kind of task. */
function foreignKeys(entry: Entry, { defaults, shared }: GivenToAll): readonly KindKey[] {
  const [isCommand, isAgent] = [entry.run !== undefined, entry.prompt !== undefined];
  const commands = [entry.check ?? defaults.check, entry.setup ?? defaults.setup ?? shared.setup];
  const hasShell = isAgent && commands.some((command = false) => command !== false);
  return [
    ...ofCommands.filter((key) => !isCommand && !(hasShell && key === 'shell')),
    ...(isAgent ? [] : ofAgents),
    ...(isCommand || isAgent ? [] : ofBoth),
    ...(entry.ask === undefined ? [] : ofWork),
  ];
}

/** A group has no defaults of its own: they would apply to it and again to each task in it. */
export function withDefaults(entry: Entry, given: GivenToAll): Entry {
  if (entry.tasks !== undefined) return withoutKeys(entry, foreignKeys(entry, given));
  const { defaults, shared } = given;
  const setup = inheritedSetup(entry, given);
  const task = withoutKeys({ ...applicable(defaults, entry), setup, ...entry }, foreignKeys(entry, given));
  if (entry.run === undefined && entry.prompt === undefined) return task;
  const lists = [shared, defaults, entry].flatMap(({ secrets }) => toList(secrets) ?? []);
  return {
    ...task,
    env: { ...shared.env, ...defaults.env, ...entry.env },
    secrets: [...new Set(lists)],
    'inherit-env': task['inherit-env'] ?? shared['inherit-env'],
  };
}

/** Who asks for the folder of the run needs none, and nobody need be told. */
function inheritedSetup({ workspace }: Entry, { defaults, shared }: GivenToAll): Entry['setup'] {
  return workspace === 'shared' ? undefined : (defaults.setup ?? shared.setup);
}

/** Only agents can continue, or make their work fit; the other tasks of a file are not concerned. */
function applicable(defaults: Defaults, entry: Entry): Defaults {
  if (entry.prompt !== undefined) return { ...defaults, args: applicableArguments(defaults, entry) };
  return {
    ...defaults,
    ...(defaults['on-interrupt'] === 'continue' && { 'on-interrupt': undefined }),
    ...(defaults['on-conflict'] === 'agent' && { 'on-conflict': undefined }),
  };
}

/** Of lists by agent those that concern the task, and those of nobody at all, which is to be told. */
function applicableArguments({ agent, args }: Defaults, entry: Entry): Defaults['args'] {
  if (!isPlainObject(args)) return args;
  const agents = toList(entry.agent ?? agent) ?? [];
  const own = Object.entries(args).filter(([name]) => agents.includes(name) || traitsOf(name) === undefined);
  return Object.fromEntries(own) as Defaults['args'];
}

function withoutKeys(task: Entry, keys: readonly KindKey[]): Entry {
  const rest = { ...task };
  for (const key of keys) delete rest[key];
  return rest;
}

/** Keys of the other kinds of tasks. What comes from the defaults just does not apply. */
export function findMisplacedKeys(entry: Entry, given: GivenToAll, at: Path): Finding[] {
  return [
    ...foreignKeys(entry, given)
      .filter((key) => entry[key] !== undefined)
      .map((key) =>
        key === 'check'
          ? notOfAgent(kindOf(entry), at)
          : { at: [...at, key], onKey: true, ...describeForeign(key, entry) },
      ),
    ...findUselessWith(entry, at),
    ...findUselessShell({ ...entry, setup: entry.setup ?? inheritedSetup(entry, given) }, at),
  ];
}

const groups: readonly {
  readonly keys: readonly KindKey[];
  readonly whose: string;
  readonly lacks: string;
}[] = [
  { keys: ofCommands, whose: 'commands', lacks: 'no `run`' },
  { keys: ofAgents, whose: 'agents', lacks: 'no `prompt`' },
  { keys: ofBoth, whose: 'commands and agents', lacks: 'neither `run` nor `prompt`' },
];

function describeForeign(key: KindKey, entry: Entry): Pick<Finding, 'message' | 'remedy'> {
  if (entry.ask !== undefined) return describeForQuestion(key);
  const { whose, lacks } = groups.find(({ keys }) => keys.includes(key))!;
  const message = `\`${key}\` is for ${whose}, and this task has ${lacks}.`;
  if (key === 'agent' && !isDone(entry))
    return { message, remedy: 'Say what the agent is to do: `prompt: …`.' };
  const doer = whose === 'commands' ? 'runs the command' : whose === 'agents' ? 'has the prompt' : 'uses it';
  const elsewhere = key === 'session' ? '' : ', or in `defaults`';
  return { message, remedy: `Put it on the task that ${doer}${elsewhere}.` };
}

function describeForQuestion(key: KindKey): Pick<Finding, 'message' | 'remedy'> {
  const message = `\`${key}\` is for tasks that do something; this one asks a question.`;
  if (key === 'timeout')
    return { message, remedy: 'Say how long to wait for an answer: `ask: { question: …, deadline: 2h }`.' };
  if (key === 'output')
    return { message, remedy: 'Say what the answer is: `ask: { question: …, type: number }`, or `choices`.' };
  return { message, remedy: 'Remove it.' };
}

function kindOf({ run, ask, uses, tasks }: Entry): Parameters<typeof notOfAgent>[0] {
  if (run !== undefined) return 'command';
  if (ask !== undefined) return 'ask';
  return uses === undefined && tasks === undefined ? 'function' : 'workflow';
}

function isDone({ run, ask, function: name, uses, tasks }: Entry): boolean {
  return [run, ask, name, uses, tasks].some((work) => work !== undefined);
}

function findUselessWith({ with: given, run, prompt, ask }: Entry, at: Path): Finding[] {
  if (given === undefined || [run, prompt, ask].every((work) => work === undefined)) return [];
  const message = '`with` is for functions and workflow files.';
  const [who, key] = run === undefined ? ['an agent', 'prompt'] : ['a command', 'run'];
  const remedy =
    ask === undefined
      ? `Give ${who} its values with \`\${{ }}\` in \`${key}\`, or with \`env\`.`
      : 'Give the question its values with `${{ }}` in its text.';
  return [{ at: [...at, 'with'], onKey: true, message, remedy }];
}

function findUselessShell({ shell, run, check, setup }: Entry, at: Path): Finding[] {
  const commands = [run, check, setup].map((part) => (isPlainObject(part) ? part.run : part));
  if (shell === undefined || commands.some((command) => typeof command === 'string')) return [];
  if (!commands.some((command) => Array.isArray(command))) return [];
  const message = 'A list of a program and its arguments is seen by no shell.';
  return [{ at: [...at, 'shell'], onKey: true, message, remedy: 'Remove `shell`.' }];
}
