import {
  askDraft,
  type AnswerOptions,
  type AnswerTo,
  type Choice,
  type TypeOfAnswer,
  type WaitOptions,
} from './ask-options.ts';
import { toJson, type JsonObject } from '../base/index.ts';
import { defineWorkflow, type TaskDraft, type WorkflowDraft } from '../definition/index.ts';
import type { TaskFunction } from '../engine/index.ts';
import type { Capture, EdgeSpec, JsonSchema, Workflow } from '../model/index.ts';
import {
  agentDraft,
  checkDraft,
  type AgentOptions,
  type Answered,
  type AnsweredOptions,
} from './agent-options.ts';
import {
  commandDraft,
  type Command,
  type CommandOptions,
  type Printed,
  type PrintedOptions,
} from './command-options.ts';
import {
  isDefinition,
  nest,
  stepContext,
  type Closure,
  type Definition,
  type DefinitionTypes,
  type InputsOf,
  type OutputsOf,
  type StepContext,
} from './definition.ts';
import { standsFor } from './function-sources.ts';
import {
  migrationParts,
  versionText,
  type GraphMigrationOptions,
  type Migrations,
  type VersionOption,
} from './migration-options.ts';
import { withPlace, workspaceDraft, type AnyPlaceOptions, type PlaceSettings } from './place-options.ts';
import type { StorableFields } from './storable.ts';
import {
  checkpointDraft,
  stepDraft,
  usageLimitsDraft,
  type CheckpointOption,
  type RunBudget,
  type StepOptions,
  type UsageLimitOptions,
} from './task-options.ts';
import { stateOf } from './views.ts';

/** What holds for a graph as a whole. */
export interface GraphSettings<State, Start extends string = string> extends PlaceSettings {
  /** A guard against cycles that never end; default 100. */
  readonly maxSteps?: number;
  /** Fields a run begins with unless it is given others. */
  readonly state?: Partial<State>;
  /** Default: the first node. */
  readonly start?: Start;
  /**
   * A whole number: raise it with a change that runs under way have to be migrated for (`migrate`). Without one it is 1; anything else is a
   * name for people.
   */
  readonly version?: VersionOption;
  readonly checkpoint?: CheckpointOption;
  /** What agents may use up in one run, and all runs of the store on one day; then what works is stopped, and held until a person raises it. */
  readonly budget?: RunBudget;
  /** What happens when an agent is at its usage limit; default: it is waited for. */
  readonly usageLimits?: UsageLimitOptions;
}

type Node<State> = (state: Readonly<State>, context: StepContext) => Update<State> | Promise<Update<State>>;
/** What changes; the rest of the state stays as it is. */
type Update<State> = Partial<State> | undefined | void;

export interface NestedNodeOptions<State, Child> extends StepOptions {
  /** The inputs of the nested workflow, from the state. */
  readonly with?: (state: Readonly<State>) => InputsOf<Child>;
  /** What its result changes in the state; default: its outputs are what changes. */
  readonly update?: (outputs: OutputsOf<Child>, state: Readonly<State>) => Partial<State>;
}

type CommandNodeOptions<State, Kind extends Capture, Schema> = Omit<
  CommandOptions,
  keyof PrintedOptions<Kind, Schema>
> &
  PrintedOptions<Kind, Schema> & {
    /** What it printed changes in the state; default: nothing, or with JSON the fields it printed. */
    readonly update?: (output: Printed<Kind, Schema>, state: Readonly<State>) => Partial<State>;
  };

type AgentNodeOptions<State, Nodes extends string, Schema> = Omit<
  AgentOptions<Nodes>,
  keyof AnsweredOptions<Schema>
> &
  AnsweredOptions<Schema> & {
    /** What its answer changes in the state; default: nothing. */
    readonly update?: (output: Answered<Schema>, state: Readonly<State>) => Partial<State>;
  };

interface AskNodeOptions<State, Answer> extends WaitOptions {
  /** What the answer changes in the state; default: nothing. */
  readonly update?: (answer: Answer, state: Readonly<State>) => Partial<State>;
}

interface GraphParts {
  readonly name: string;
  readonly settings: GraphSettings<object>;
  readonly nodes: readonly NodePart[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly when: Closure | 'failure' | undefined;
  }[];
  readonly migrations: Migrations;
}

interface NodePart {
  readonly draft: TaskDraft;
  readonly place: AnyPlaceOptions;
  readonly functions: Readonly<Record<string, TaskFunction>>;
  readonly closures: Readonly<Record<string, Closure>>;
}

/** A state machine: one node at a time changes the state, then an edge is chosen. Cycles are welcome. */
export class GraphBuilder<State extends object, Nodes extends string = never> implements Definition<
  undefined,
  State,
  State
> {
  declare readonly types: DefinitionTypes<undefined, State, State>;
  readonly #parts: GraphParts;
  #built: Definition | undefined;

  constructor(parts: GraphParts) {
    this.#parts = parts;
  }

  /** A node done by a function: it is given the frozen state and returns what changes. */
  node<Name extends string>(
    name: Name,
    run: Node<State>,
    options?: StepOptions,
  ): GraphBuilder<State, Nodes | Name>;
  /** A node done by another workflow. */
  node<Name extends string, Child extends Definition>(
    name: Name,
    workflow: Child,
    options?: NestedNodeOptions<State, Child>,
  ): GraphBuilder<State, Nodes | Name>;
  node(name: string, work: unknown, options: object = {}): GraphBuilder<State, never> {
    return this.#withNode(nodePart(name, work as AnyNode, options as AnyNodeOptions));
  }

  /** A node done by a command, whose expressions see `state`. */
  command<Name extends string>(name: Name, run: Command): GraphBuilder<State, Nodes | Name>;
  command<
    Name extends string,
    Kind extends Capture = 'text',
    Schema extends JsonSchema | undefined = undefined,
  >(
    name: Name,
    options: CommandNodeOptions<State, Kind, Schema>,
    run: Command,
  ): GraphBuilder<State, Nodes | Name>;
  command(name: string, ...given: readonly unknown[]): GraphBuilder<State, never> {
    const [options, run] = given.length === 1 ? [{}, given[0]] : given;
    const work = commandDraft(options as CommandOptions, run as Command);
    return this.#withNode(processPart(name, options as AnyNodeOptions, work));
  }

  /** A node done by an agent, whose prompt sees `state`. */
  agent<Name extends string, Schema extends JsonSchema | undefined = undefined>(
    name: Name,
    options: AgentNodeOptions<State, Nodes, Schema>,
    prompt: string,
  ): GraphBuilder<State, Nodes | Name>;
  agent(name: string, options: object, prompt: string): GraphBuilder<State, never> {
    const work = agentDraft(options as AgentOptions, prompt);
    return this.#withNode(processPart(name, options as AnyNodeOptions, work));
  }

  /** A node that asks a person, with a question that sees `state`. */
  ask<Name extends string, const Chosen extends Choice = never, Type extends TypeOfAnswer = 'string'>(
    name: Name,
    options: AskNodeOptions<State, AnswerTo<Type, Chosen>> & AnswerOptions<Type, Chosen>,
    question: string,
  ): GraphBuilder<State, Nodes | Name>;
  ask(name: string, options: object, question: string): GraphBuilder<State, never> {
    return this.#withNode(processPart(name, options as AnyNodeOptions, askDraft(question, options)));
  }

  /**
   * Where to go from a node. Edges are tried in the order they were given; one without a condition always applies.
   * A node that failed is left only by an edge with 'failure'.
   */
  edge(
    from: Nodes,
    to: Nodes | 'end',
    when?: ((state: Readonly<State>) => boolean) | 'failure',
  ): GraphBuilder<State, Nodes> {
    const closure: Closure | 'failure' | undefined =
      typeof when === 'function' ? (variables) => when(stateOf(variables) as State) : when;
    return new GraphBuilder({ ...this.#parts, edges: [...this.#parts.edges, { from, to, when: closure }] });
  }

  /**
   * How a run that was parked at the version before this one is brought to it. Run once, when the run meets a definition of a higher
   * version, and journalled: it must not do anything else. Give one for each version, the last for that of the settings.
   */
  migrate(version: number, migration: GraphMigrationOptions<State, Nodes>): GraphBuilder<State, Nodes> {
    const migrations = new Map(this.#parts.migrations).set(version, migration);
    return new GraphBuilder({ ...this.#parts, migrations });
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

  #withNode(node: NodePart): GraphBuilder<State, never> {
    return new GraphBuilder({ ...this.#parts, nodes: [...this.#parts.nodes, node] });
  }

  #build(): Definition {
    return (this.#built ??= buildGraph(this.#parts));
  }
}

/** Begins a graph over a state of this type. */
export function stateGraph<State extends object & StorableFields<State> = object>(
  name: string,
  settings: GraphSettings<State> = {},
): GraphBuilder<State> {
  return new GraphBuilder({
    name,
    settings: settings as GraphSettings<object>,
    nodes: [],
    edges: [],
    migrations: new Map(),
  });
}

type AnyNode = Definition | ((state: unknown, context: StepContext) => unknown);
interface AnyNodeOptions extends StepOptions, AnyPlaceOptions, Pick<AgentOptions, 'check'> {
  readonly with?: (state: unknown) => unknown;
  readonly update?: (outputs: unknown, state: unknown) => unknown;
}

function nodePart(name: string, work: AnyNode, options: AnyNodeOptions): NodePart {
  if (!isDefinition(work)) {
    const run: TaskFunction = (call) => work(stateOf(call.variables), stepContext(call));
    const draft: TaskDraft = { name, ...stepDraft(options), work: { type: 'function', function: name } };
    return { draft, place: options, functions: { [name]: standsFor(run, work) }, closures: {} };
  }
  const nested = nest(work, name);
  const { with: given } = options;
  const { update, closures: updating } = updatePart(name, options);
  const draft: TaskDraft = {
    name,
    ...stepDraft(options),
    update,
    work: {
      type: 'workflow',
      workflow: nested.draft as WorkflowDraft,
      inherits: false,
      ...(given && { with: { $function: `${name}:with` } }),
    },
  };
  const closures: Record<string, Closure> = { ...nested.closures, ...updating };
  if (given !== undefined) closures[`${name}:with`] = (variables) => given(stateOf(variables));
  return { draft, place: options, functions: nested.functions, closures };
}

function processPart(name: string, options: AnyNodeOptions, work: TaskDraft['work']): NodePart {
  const { update, closures } = updatePart(name, options);
  const draft = { name, ...stepDraft(options), update, work, check: checkDraft(options) };
  return { draft, place: options, functions: {}, closures };
}

function updatePart(
  name: string,
  { update }: AnyNodeOptions,
): Pick<TaskDraft, 'update'> & Pick<NodePart, 'closures'> {
  if (update === undefined) return { closures: {} };
  const closure: Closure = (variables) => update(variables['output'], stateOf(variables));
  return { update: { $function: `${name}:update` }, closures: { [`${name}:update`]: closure } };
}

function buildGraph({ name, settings, nodes, edges, ...rest }: GraphParts): Definition {
  const { next, closures } = edgeParts(edges);
  const { migrations, closures: migrating } = migrationParts(rest.migrations);
  const { start = nodes[0]?.draft.name ?? '', state = {}, maxSteps, version, budget } = settings;
  const workflow = defineWorkflow({
    name,
    version: versionText(version),
    migrations,
    checkpoint: checkpointDraft(settings.checkpoint),
    budget,
    usageLimits: usageLimitsDraft(settings.usageLimits),
    workspace: workspaceDraft(settings.workspace),
    base: settings.base,
    cleanup: settings.cleanup,
    graph: { start, state: toJson(state, 'state') as JsonObject, maxSteps },
    tasks: nodes.map(({ draft, place }) => ({
      ...withPlace(draft, place, settings),
      next: next.get(draft.name) ?? [],
    })),
  });
  return {
    workflow,
    leavesCheckpoint: settings.checkpoint === undefined,
    functions: Object.assign({}, ...nodes.map((node) => node.functions)) as Definition['functions'],
    closures: Object.assign(
      closures,
      migrating,
      ...nodes.map((node) => node.closures),
    ) as Definition['closures'],
  };
}

/** The edges by the node they leave, and their conditions by name. */
function edgeParts(edges: GraphParts['edges']) {
  const next = new Map<string, EdgeSpec[]>();
  const closures: Record<string, Closure> = {};
  for (const { from, to, when } of edges) {
    const leaving = next.get(from) ?? [];
    const closure = edgeName(from, to, leaving);
    if (typeof when === 'function') closures[closure] = when;
    const condition = typeof when === 'function' ? { $function: closure } : when && 'failure()';
    next.set(from, [...leaving, condition === undefined ? { to } : { to, if: condition }]);
  }
  return { next, closures };
}

/**
 * A run keeps the names of its closures, not the closures. Were an edge named by its place among all edges, a new one
 * before it would silently give its name to another condition.
 */
function edgeName(from: string, to: string, before: readonly EdgeSpec[]): string {
  const twins = before.filter((edge) => edge.to === to).length;
  return twins === 0 ? `${from}:to:${to}` : `${from}:to:${to}:${twins + 1}`;
}
