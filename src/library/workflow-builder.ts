import type { TaskView } from '../kernel/index.ts';
import type { Capture, JsonSchema, Workflow } from '../model/index.ts';
import { agentDraft, type AgentOptions, type Answered, type AnsweredOptions } from './agent-options.ts';
import {
  askDraft,
  type AnswerOptions,
  type AnswerTo,
  type Choice,
  type TypeOfAnswer,
  type WaitOptions,
} from './ask-options.ts';
import {
  buildWorkflow,
  taskPart,
  type AnyTaskOptions,
  type AnyWork,
  type WorkflowParts,
} from './build-workflow.ts';
import {
  commandDraft,
  type Command,
  type CommandOptions,
  type Printed,
  type PrintedOptions,
} from './command-options.ts';
import type { Closure, Definition, DefinitionTypes, InputsOf, OutputsOf } from './definition.ts';
import type { MigrationOptions } from './migration-options.ts';
import type { OutputOf, Refusal, ReturnRefusal, StorableFields } from './storable.ts';
import type { Known, TaskContext, WorkflowSettings } from './task-context.ts';
import type { StepOptions } from './task-options.ts';
import { inputsOf, taskOutputs } from './views.ts';

/** When a task of a workflow starts, and what becomes of its failure; and what every kind of task can be told. */
export interface TaskOptions<Inputs, Outputs, Needs extends keyof Outputs & string> extends StepOptions {
  readonly needs?: readonly Needs[];
  /** Default: when all it needs have succeeded. A predicate is asked only then. */
  readonly if?: 'failure' | 'always' | ((known: Known<Inputs, Pick<Outputs, Needs>>) => boolean);
  /** Those who need it go on if it fails, and see no output. */
  readonly continueOnError?: boolean;
}

export interface ForEachOptions<Inputs, Needs, Item> {
  readonly in: (known: Known<Inputs, Needs>) => readonly Item[] & Refusal<Item>;
  /** Names an item, so that it is found again if the list changes; default: the item if it is text, else its index. */
  readonly key?: (item: Item, known: Known<Inputs, Needs> & { readonly index: number }) => string | number;
  readonly maxParallel?: number;
  /** So many items may fail; default 0. */
  readonly maxFailures?: number;
}

/** How each task ended, by name. */
export type TaskViews = Readonly<Record<string, TaskView>>;

type Run<Context, Returned> = (context: Context) => Returned & ReturnRefusal<Returned>;
type With<Inputs, Needs, Child> = { readonly with?: (known: Known<Inputs, Needs>) => InputsOf<Child> };
type WithItem<Inputs, Needs, Item, Child> = {
  readonly forEach: ForEachOptions<Inputs, Needs, Item>;
  readonly with?: (known: Known<Inputs, Needs> & { readonly item: Item }) => InputsOf<Child>;
};

type CommandTaskOptions<Inputs, Outputs, Needs extends keyof Outputs & string, Kind, Schema> = Omit<
  TaskOptions<Inputs, Outputs, Needs> & CommandOptions,
  keyof PrintedOptions<Kind, Schema>
> &
  PrintedOptions<Kind, Schema>;

type AgentTaskOptions<Inputs, Outputs, Needs extends keyof Outputs & string, Schema> = Omit<
  TaskOptions<Inputs, Outputs, Needs>,
  keyof AgentOptions
> &
  Omit<AgentOptions<keyof Outputs & string>, keyof AnsweredOptions<Schema>> &
  AnsweredOptions<Schema>;

/** Nothing is done while a person is asked: what is for work means nothing here. */
type AskTaskOptions<Inputs, Outputs, Needs extends keyof Outputs & string> = Omit<
  TaskOptions<Inputs, Outputs, Needs>,
  Exclude<keyof StepOptions, 'priority'>
> &
  WaitOptions;

/** Tasks and what they need. Every call gives a new workflow; the one it was called on stays as it is. */
export class WorkflowBuilder<Inputs, Outputs> implements Definition<Inputs, Outputs, undefined> {
  declare readonly types: DefinitionTypes<Inputs, Outputs, undefined>;
  readonly #parts: WorkflowParts;
  #built: Definition | undefined;

  constructor(parts: WorkflowParts) {
    this.#parts = parts;
  }

  /** A task that needs nothing. */
  task<Name extends string, Returned>(
    name: Name,
    run: Run<TaskContext<Inputs, object>, Returned>,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, OutputOf<Returned>>>;
  /** Another workflow, once for each item of a list. */
  task<Name extends string, Item, Child extends Definition, Needs extends keyof Outputs & string = never>(
    name: Name,
    options: TaskOptions<Inputs, Outputs, Needs> & WithItem<Inputs, Pick<Outputs, Needs>, Item, Child>,
    workflow: Child,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, readonly OutputsOf<Child>[]>>;
  /** Another workflow as a task. */
  task<Name extends string, Child extends Definition, Needs extends keyof Outputs & string = never>(
    name: Name,
    options: TaskOptions<Inputs, Outputs, Needs> & With<Inputs, Pick<Outputs, Needs>, Child>,
    workflow: Child,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, OutputsOf<Child>>>;
  /** The same task once for each item of a list; its output is the list of theirs, in order. */
  task<Name extends string, Item, Returned, Needs extends keyof Outputs & string = never>(
    name: Name,
    options: TaskOptions<Inputs, Outputs, Needs> & {
      readonly forEach: ForEachOptions<Inputs, Pick<Outputs, Needs>, Item>;
    },
    run: Run<TaskContext<Inputs, Pick<Outputs, Needs>, Item>, Returned>,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, readonly OutputOf<Returned>[]>>;
  /** A task that runs after a failure, or always: what it needs may have no output. */
  task<Name extends string, Returned, Needs extends keyof Outputs & string = never>(
    name: Name,
    options: TaskOptions<Inputs, Outputs, Needs> & { readonly if: 'failure' | 'always' },
    run: Run<TaskContext<Inputs, Partial<Pick<Outputs, Needs>>>, Returned>,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, OutputOf<Returned>>>;
  task<Name extends string, Returned, Needs extends keyof Outputs & string = never>(
    name: Name,
    options: TaskOptions<Inputs, Outputs, Needs> & { readonly continueOnError: true },
    run: Run<TaskContext<Inputs, Pick<Outputs, Needs>>, Returned>,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, OutputOf<Returned> | undefined>>;
  // The compiler explains only why the last of many overloads does not fit: hence this one also takes what those above take.
  task<
    Name extends string,
    Returned,
    Child extends Definition,
    Needs extends keyof Outputs & string = never,
    Item = undefined,
  >(
    name: Name,
    options: TaskOptions<Inputs, Outputs, Needs> &
      Partial<WithItem<Inputs, Pick<Outputs, Needs>, Item, Child>>,
    run: Run<TaskContext<Inputs, Pick<Outputs, Needs>, Item>, Returned> | Child,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, OutputOf<Returned>>>;
  task(name: string, ...given: readonly unknown[]): WorkflowBuilder<Inputs, never> {
    const [options, work] = given.length === 1 ? [{}, given[0]] : given;
    const task = taskPart(name, options as AnyTaskOptions, work as AnyWork);
    return new WorkflowBuilder({ ...this.#parts, tasks: { task, before: this.#parts.tasks } });
  }

  /** A task done by a command: text for a shell, or a program and its arguments. Its output is what it prints. */
  command<Name extends string>(
    name: Name,
    run: Command,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, string>>;
  /** The same command once for each item of a list, which its expressions see as `item`. */
  command<
    Name extends string,
    Item,
    Needs extends keyof Outputs & string = never,
    Kind extends Capture = 'text',
    Schema extends JsonSchema | undefined = undefined,
  >(
    name: Name,
    options: CommandTaskOptions<Inputs, Outputs, Needs, Kind, Schema> & {
      readonly forEach: ForEachOptions<Inputs, Pick<Outputs, Needs>, Item>;
    },
    run: Command,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, readonly Printed<Kind, Schema>[]>>;
  command<
    Name extends string,
    Needs extends keyof Outputs & string = never,
    Kind extends Capture = 'text',
    Schema extends JsonSchema | undefined = undefined,
  >(
    name: Name,
    options: CommandTaskOptions<Inputs, Outputs, Needs, Kind, Schema> & { readonly continueOnError: true },
    run: Command,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, Printed<Kind, Schema> | undefined>>;
  command<
    Name extends string,
    Needs extends keyof Outputs & string = never,
    Kind extends Capture = 'text',
    Schema extends JsonSchema | undefined = undefined,
  >(
    name: Name,
    options: CommandTaskOptions<Inputs, Outputs, Needs, Kind, Schema>,
    run: Command,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, Printed<Kind, Schema>>>;
  command(name: string, ...given: readonly unknown[]): WorkflowBuilder<Inputs, never> {
    const [options, run] = given.length === 1 ? [{}, given[0]] : given;
    const work = commandDraft(options as CommandOptions, run as Command);
    const task = taskPart(name, options as AnyTaskOptions, work);
    return new WorkflowBuilder({ ...this.#parts, tasks: { task, before: this.#parts.tasks } });
  }

  /** A task done by an agent, once for each item of a list, which the prompt sees as `item`. */
  agent<
    Name extends string,
    Item,
    Needs extends keyof Outputs & string = never,
    Schema extends JsonSchema | undefined = undefined,
  >(
    name: Name,
    options: AgentTaskOptions<Inputs, Outputs, Needs, Schema> & {
      readonly forEach: ForEachOptions<Inputs, Pick<Outputs, Needs>, Item>;
    },
    prompt: string,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, readonly Answered<Schema>[]>>;
  agent<
    Name extends string,
    Needs extends keyof Outputs & string = never,
    Schema extends JsonSchema | undefined = undefined,
  >(
    name: Name,
    options: AgentTaskOptions<Inputs, Outputs, Needs, Schema> & { readonly continueOnError: true },
    prompt: string,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, Answered<Schema> | undefined>>;
  /** A task done by an agent. The prompt may hold expressions: `Explain ${{ inputs.name }}`. */
  agent<
    Name extends string,
    Needs extends keyof Outputs & string = never,
    Schema extends JsonSchema | undefined = undefined,
  >(
    name: Name,
    options: AgentTaskOptions<Inputs, Outputs, Needs, Schema>,
    prompt: string,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, Answered<Schema>>>;
  agent(name: string, options: object, prompt: string): WorkflowBuilder<Inputs, never> {
    const work = agentDraft(options as AgentOptions, prompt);
    const task = taskPart(name, options as AnyTaskOptions, work);
    return new WorkflowBuilder({ ...this.#parts, tasks: { task, before: this.#parts.tasks } });
  }

  /** A question to a person, once for each item of a list, which it sees as `item`. */
  ask<
    Name extends string,
    Item,
    const Chosen extends Choice = never,
    Type extends TypeOfAnswer = 'string',
    Needs extends keyof Outputs & string = never,
  >(
    name: Name,
    options: AskTaskOptions<Inputs, Outputs, Needs> &
      AnswerOptions<Type, Chosen> & { readonly forEach: ForEachOptions<Inputs, Pick<Outputs, Needs>, Item> },
    question: string,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, readonly AnswerTo<Type, Chosen>[]>>;
  ask<
    Name extends string,
    const Chosen extends Choice = never,
    Type extends TypeOfAnswer = 'string',
    Needs extends keyof Outputs & string = never,
  >(
    name: Name,
    options: AskTaskOptions<Inputs, Outputs, Needs> &
      AnswerOptions<Type, Chosen> & { readonly continueOnError: true },
    question: string,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, AnswerTo<Type, Chosen> | undefined>>;
  /** A question to a person; the answer is its output. It may hold expressions: `Release ${{ inputs.version }} where?`. */
  ask<
    Name extends string,
    const Chosen extends Choice = never,
    Type extends TypeOfAnswer = 'string',
    Needs extends keyof Outputs & string = never,
  >(
    name: Name,
    options: AskTaskOptions<Inputs, Outputs, Needs> & AnswerOptions<Type, Chosen>,
    question: string,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, AnswerTo<Type, Chosen>>>;
  /** The answer is a text. */
  ask<Name extends string>(
    name: Name,
    question: string,
  ): WorkflowBuilder<Inputs, Outputs & Record<Name, string>>;
  ask(name: string, ...given: readonly unknown[]): WorkflowBuilder<Inputs, never> {
    const [options, question] = given.length === 1 ? [{}, given[0]] : given;
    const work = askDraft(question as string, options as object);
    const task = taskPart(name, options as AnyTaskOptions, work);
    return new WorkflowBuilder({ ...this.#parts, tasks: { task, before: this.#parts.tasks } });
  }

  /** What the run gives back instead of every task's output by name. */
  outputs<Result>(
    compute: (
      outputs: Outputs,
      all: { readonly inputs: Inputs; readonly tasks: TaskViews },
    ) => Result & Refusal<Result>,
  ): WorkflowBuilder<Inputs, OutputOf<Result>> {
    const outputs: Closure = (variables) =>
      compute(taskOutputs(variables) as Outputs, {
        inputs: inputsOf(variables) as Inputs,
        tasks: variables['tasks'] as TaskViews,
      });
    return new WorkflowBuilder({ ...this.#parts, outputs });
  }

  /**
   * How a run that was parked at the version before this one is brought to it. Run once, when the run meets a definition of a higher
   * version, and journalled: it must not do anything else. Give one for each version, the last for that of the settings.
   */
  migrate(
    version: number,
    migration: MigrationOptions<Inputs, keyof Outputs & string>,
  ): WorkflowBuilder<Inputs, Outputs> {
    const migrations = new Map(this.#parts.migrations).set(version, migration);
    return new WorkflowBuilder({ ...this.#parts, migrations });
  }

  get workflow(): Workflow {
    return this.#build().workflow;
  }

  get functions(): Definition['functions'] {
    return this.#build().functions;
  }

  get closures(): Definition['closures'] {
    return this.#build().closures;
  }

  get leavesCheckpoint(): boolean {
    return this.#build().leavesCheckpoint === true;
  }

  #build(): Definition {
    return (this.#built ??= buildWorkflow(this.#parts));
  }
}

/** Begins a workflow; `Inputs` is what a run of it is given. */
export function workflow<Inputs extends StorableFields<Inputs> = object>(
  name: string,
  settings: WorkflowSettings = {},
): WorkflowBuilder<Inputs, object> {
  return new WorkflowBuilder({ name, settings, tasks: undefined, outputs: undefined });
}
