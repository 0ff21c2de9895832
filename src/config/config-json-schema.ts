import { agentNames, checkpointNames, cleanupPolicies, traitsOf, type JsonSchema } from '../model/index.ts';
import { toolClasses } from './config.ts';
import type { SettingKey } from './setting-keys.ts';

/** The JSON Schema of a configuration file, for editors. What a value means in detail is judged by `piton config validate`. */
export function configJsonSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of Piton: .piton/config.yaml, and config.yaml of the user',
    ...mapping(schemas()),
  };
}

/** The compiler asks for each key that can be read. */
function schemas(): Record<SettingKey, JsonSchema> {
  return {
    version: { type: 'integer', minimum: 1, description: 'Of the form of this file. Default: 1.' },
    store: text('Where runs are kept: sqlite:<file>, or memory: to keep none of them.'),
    durability: {
      enum: ['full', 'process'],
      description: 'What survives: loss of power, or only the death of processes.',
    },
    mirror: text('A folder to which every commit is also written as readable JSON lines.'),
    lease: span('A driver that is silent for so long may be replaced by another.'),
    grace: span('How long a task that was asked to stop may take.'),
    'idle-timeout': span('An agent that prints nothing for so long is interrupted; 0: never.'),
    checkpoint: checkpoint(),
    'max-parallel': {
      type: 'integer',
      minimum: 1,
      description: 'So many tasks of a run at once, of workflows that do not say it.',
    },
    agents: { ...mapping(agents()), description: 'How agents are installed and to be understood here.' },
    secrets: names('Environment variables whose values are written down nowhere.'),
    'inherit-env': {
      anyOf: [{ const: true }, ...listForms],
      description: 'What every command and agent gets of the environment.',
    },
    budget: budget(),
    workspaces: workspaces(),
    remotes: {
      type: 'object',
      additionalProperties: machine(),
      description: 'Machines where tasks can work, by name.',
    },
    delivery: delivery(),
    'on-damage': {
      enum: ['refuse', 'repair'],
      description: 'What is done with a run whose journal is damaged when it goes on.',
    },
    backups: backups(),
    retention: retention(),
  };
}

const listForms = [{ type: 'string' }, { type: 'array', items: { type: 'string' } }];

const writtenSize = { type: 'string', pattern: '^\\d+(\\.\\d+)? ?[kKmMgGtT][bB]$' };

const writtenSpan = { type: 'string', pattern: '^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$' };

function text(description: string): JsonSchema {
  return { type: 'string', minLength: 1, description };
}

function span(description: string): JsonSchema {
  return { anyOf: [writtenSpan, { const: 0 }], description };
}

function names(description: string): JsonSchema {
  return { anyOf: listForms, description };
}

function mapping(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, additionalProperties: false };
}

function checkpoint(): JsonSchema {
  const named = { enum: Object.keys(checkpointNames) };
  const every = {
    anyOf: [named, { type: 'integer', minimum: 1 }, writtenSpan],
    description: 'So many tasks, a time, or one of the names.',
  };
  const preserve = {
    enum: [true, false, 'remove-on-success'],
    description: 'What is kept when the run has succeeded: all, no big payloads, or nothing.',
  };
  return {
    anyOf: [named, mapping({ every, preserve })],
    description: 'When runs are written down, of workflows that do not say it.',
  };
}

/** Those that come with Piton: which ones a program has registered is not known to an editor. */
function agents(): Record<string, JsonSchema> {
  const tools = { type: 'object', additionalProperties: { enum: [...toolClasses] } };
  return Object.fromEntries(
    agentNames.map((name) => {
      const { isAnyProgram } = traitsOf(name);
      return [name, mapping(isAnyProgram ? { tools } : { executable: text('Its program.'), tools })];
    }),
  );
}

function budget(): JsonSchema {
  const perDay = {
    ...mapping({ usd: { type: 'number', minimum: 0 }, tokens: { type: 'integer', minimum: 0 } }),
    minProperties: 1,
  };
  return { ...mapping({ 'per-day': perDay }), description: 'What all runs together may use up on one day.' };
}

function workspaces(): JsonSchema {
  return {
    ...mapping({
      mode: { enum: ['worktree', 'directory', 'shared'] },
      keep: span('What is left of places is removed after so long.'),
      quota: writtenSize,
      cleanup: { enum: [...cleanupPolicies] },
      disposable: names('Folders that can be made again.'),
    }),
    description: 'Where tasks work, and what becomes of these places.',
  };
}

function machine(): JsonSchema {
  return {
    ...mapping({
      host: text('As one writes it after ssh.'),
      folder: text('Where Piton keeps its files there.'),
      ssh: names('Further options of ssh.'),
      env: names('Environment variables that programs there are given too.'),
    }),
    required: ['host'],
  };
}

function delivery(): JsonSchema {
  return {
    ...mapping({
      remote: text('The remote of git that branches are pushed to.'),
      command: text('What opens pull requests instead of gh.'),
    }),
    description: 'Where and how the work of runs is handed over.',
  };
}

function backups(): JsonSchema {
  const settings = mapping({
    every: span('One is made if the last is older than this; default 1d.'),
    keep: { type: 'integer', minimum: 1, description: 'So many are kept; default 7.' },
    folder: text('Where they are; default: backups beside the store.'),
  });
  return {
    anyOf: [{ const: false }, settings],
    description: 'Backups of the store that are made by themselves.',
  };
}

function retention(): JsonSchema {
  return {
    ...mapping({
      'older-than': { ...writtenSpan, description: 'Runs that ended longer ago are removed.' },
      keep: { type: 'integer', minimum: 0, description: 'The newest runs of each workflow stay, so many.' },
      'max-size': { ...writtenSize, description: 'Then the oldest go, until the store is not larger.' },
      'payloads-after': { ...writtenSpan, description: 'Then big values and transcripts go; journals stay.' },
    }),
    minProperties: 1,
    description: 'Which runs are removed by themselves, once a day.',
  };
}
