import { isPlainObject } from '../../base/index.ts';
import { traitsOf } from '../../model/index.ts';
import { notOfAgent } from '../define/finish-check.ts';
import type { Finding, Path } from '../problems.ts';
import { toList } from './convert-settings.ts';
import type { Defaults, NodeEntry, TaskEntry } from './file-schema.ts';

export type Entry = TaskEntry & NodeEntry;

/** What the file as a whole gives to each of its commands and agents. */
export type SharedByProcesses = Pick<Entry, 'env' | 'secrets'>;

const ofCommands = ['shell', 'capture'] as const;
const ofAgents = [
  'agent',
  'permissions',
  'session',
  'model',
  'effort',
  'max-turns',
  'budget',
  'args',
  'check',
] as const;
const ofBoth = ['env', 'secrets', 'working-directory'] as const;

type KindKey = (typeof ofCommands | typeof ofAgents | typeof ofBoth)[number];

/** Keys that mean nothing for this kind of task. */
function foreignKeys({ run, prompt, check }: Entry, defaults: Defaults): readonly KindKey[] {
  const [isCommand, isAgent] = [run !== undefined, prompt !== undefined];
  const isChecked = isAgent && (check ?? defaults.check ?? false) !== false;
  return [
    ...ofCommands.filter((key) => !isCommand && !(isChecked && key === 'shell')),
    ...(isAgent ? [] : ofAgents),
    ...(isCommand || isAgent ? [] : ofBoth),
  ];
}

/** A group has no defaults of its own: they would apply to it and again to each task in it. */
export function withDefaults(entry: Entry, defaults: Defaults, shared: SharedByProcesses): Entry {
  if (entry.tasks !== undefined) return entry;
  const task = withoutKeys({ ...applicable(defaults, entry), ...entry }, foreignKeys(entry, defaults));
  if (entry.run === undefined && entry.prompt === undefined) return task;
  const lists = [shared, defaults, entry].flatMap(({ secrets }) => toList(secrets) ?? []);
  return {
    ...task,
    env: { ...shared.env, ...defaults.env, ...entry.env },
    secrets: [...new Set(lists)],
  };
}

/** Only agents can continue; the other tasks of a file are not concerned. */
function applicable(defaults: Defaults, entry: Entry): Defaults {
  if (entry.prompt !== undefined) return { ...defaults, args: applicableArguments(defaults, entry) };
  return defaults['on-interrupt'] === 'continue' ? { ...defaults, 'on-interrupt': undefined } : defaults;
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
export function findMisplacedKeys(entry: Entry, defaults: Defaults, at: Path): Finding[] {
  return [
    ...foreignKeys(entry, defaults)
      .filter((key) => entry[key] !== undefined)
      .map((key) =>
        key === 'check'
          ? notOfAgent(kindOf(entry), at)
          : { at: [...at, key], onKey: true, ...describeForeign(key, entry) },
      ),
    ...findUselessWith(entry, at),
    ...findUselessShell(entry, at),
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
  const { whose, lacks } = groups.find(({ keys }) => keys.includes(key))!;
  const message = `\`${key}\` is for ${whose}, and this task has ${lacks}.`;
  if (key === 'agent' && !isDone(entry))
    return { message, remedy: 'Say what the agent is to do: `prompt: …`.' };
  const doer = whose === 'commands' ? 'runs the command' : whose === 'agents' ? 'has the prompt' : 'uses it';
  const elsewhere = key === 'session' ? '' : ', or in `defaults`';
  return { message, remedy: `Put it on the task that ${doer}${elsewhere}.` };
}

function kindOf({ run, uses, tasks }: Entry): Parameters<typeof notOfAgent>[0] {
  if (run !== undefined) return 'command';
  return uses === undefined && tasks === undefined ? 'function' : 'workflow';
}

function isDone({ run, function: name, uses, tasks }: Entry): boolean {
  return [run, name, uses, tasks].some((work) => work !== undefined);
}

function findUselessWith({ with: given, run, prompt }: Entry, at: Path): Finding[] {
  if (given === undefined || (run === undefined && prompt === undefined)) return [];
  const message = '`with` is for functions and workflow files.';
  const [who, key] = run === undefined ? ['an agent', 'prompt'] : ['a command', 'run'];
  const remedy = `Give ${who} its values with \`\${{ }}\` in \`${key}\`, or with \`env\`.`;
  return [{ at: [...at, 'with'], onKey: true, message, remedy }];
}

function findUselessShell({ shell, run, check }: Entry, at: Path): Finding[] {
  const command = run ?? (isPlainObject(check) ? check.run : undefined);
  if (shell === undefined || !Array.isArray(command)) return [];
  const message = 'A list of a program and its arguments is seen by no shell.';
  return [{ at: [...at, 'shell'], onKey: true, message, remedy: 'Remove `shell`.' }];
}
