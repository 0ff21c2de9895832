import { PitonError } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { Problem } from '../../definition/index.ts';
import { mentionsGit } from '../../library/index.ts';
import type { Workflow } from '../../model/index.ts';
import { boundsOf } from '../plan/bounds.ts';
import type { PreflightFinding } from '../preflight/finding.ts';
import { preflight } from '../preflight/preflight.ts';
import type { Trusting } from '../surroundings.ts';
import { isInRepository, placesIn, type PlannedPlace } from '../plan/plan-places.ts';
import { aboutFunctions, loadForReading, parseFile } from './load-definition.ts';
import { isData, nameOf } from './workflow-files.ts';
import { risksOf, worstCase, type Risk } from './risks.ts';

/** What is to be said about one workflow file. */
export interface WorkflowReport {
  readonly file: string;
  /** Of the workflow; of the file, if that cannot be read. */
  readonly name: string;
  /** Whether nothing is wrong with it. */
  readonly ok: boolean;
  /** Whether `piton run` can run it as it is. */
  readonly runs: boolean;
  readonly problems: readonly Problem[];
  /** What could be better. */
  readonly suggestions: readonly Problem[];
  /** What cannot be taken back. */
  readonly irreversible: readonly Risk[];
  /** Tasks, those of nested workflows included. */
  readonly tasks: number;
  /** Attempts in the worst case; of a for-each or a graph, once through. */
  readonly attempts: number;
  /** How often agents are asked in the worst case: attempts × (1 + revisions). */
  readonly agentTurns: number;
  /** There is a for-each or a graph: attempts and turns are those of one item, or one visit of each node. */
  readonly repeats: boolean;
  /** What its agents may use, and what happens at usage limits, in words. */
  readonly bounds: readonly string[];
  /** Where its tasks work. */
  readonly places: readonly PlannedPlace[];
  /** What a run would lack here, if that was asked for. */
  readonly preflight?: readonly PreflightFinding[];
}

export interface CheckOptions {
  /** Also looks at what a run would lack here. Default: false. */
  readonly preflight?: boolean;
}

/** As its runs would be in this project. */
export async function checkWorkflow(
  file: string,
  project: Trusting,
  options: CheckOptions = {},
): Promise<WorkflowReport> {
  const { config } = project;
  try {
    const { workflow, suggestions } = await read(file, project);
    const places = placesIn(workflow, config);
    const lack = isData(file) ? aboutFunctions(workflow, file) : undefined;
    const found = {
      file,
      name: workflow.name,
      ok: true,
      runs: lack === undefined,
      problems: [],
      suggestions: [
        ...suggestions,
        ...(lack === undefined ? [] : [{ file, path: '', ...lack }]),
        ...(options.preflight === true ? [] : lacksOf(workflow, config)).map((lack) => ({
          file,
          path: '',
          ...lack,
        })),
      ],
    };
    return {
      ...found,
      irreversible: risksOf(workflow),
      ...worstCase(workflow),
      bounds: boundsOf(workflow),
      places,
      ...(options.preflight === true && { preflight: (await preflight(project, workflow, file)).findings }),
    };
  } catch (thrown) {
    if (!(thrown instanceof PitonError)) throw thrown;
    const problems = problemsOf(thrown, file);
    return { file, name: nameOf(file), ok: false, runs: false, problems, ...nothing };
  }
}

type Project = Pick<Config, 'root' | 'remotes' | 'workspaces'>;

/** What even a first look shows; the preflight tells it in its own words. */
function lacksOf(workflow: Workflow, config: Project): Pick<Problem, 'message' | 'remedy'>[] {
  return [...lackOfGit(workflow, config), ...unknownMachines(workflow, config)];
}

/** What says itself that it works in git is not run elsewhere, while what would only do so by default is. */
function lackOfGit(workflow: Workflow, { root }: Project): Pick<Problem, 'message' | 'remedy'>[] {
  if (!mentionsGit(workflow) || isInRepository(root)) return [];
  const message =
    'It wants worktrees or a pull request, and there is no git repository here: `piton run` refuses it.';
  return [
    { message, remedy: 'Make one (`git init`, and commit something), or take `workspace` or `deliver` out.' },
  ];
}

/** A file knows nothing of the project: what stands only there is looked up here. */
function unknownMachines(workflow: Workflow, { remotes }: Project): Pick<Problem, 'message' | 'remedy'>[] {
  const unknown = machinesIn(workflow).filter((name) => !Object.hasOwn(remotes, name));
  return [...new Set(unknown)].map((name) => ({
    message: `There is no machine \`${name}\` in .piton/config.yaml.`,
    remedy: `Add it there: \`remotes: { ${name}: { host: user@machine } }\`.`,
  }));
}

function machinesIn({ workspace, tasks }: Workflow): string[] {
  const own = [workspace, ...tasks.map((task) => task.workspace)];
  return [
    ...own.flatMap((spec) => (spec?.mode === 'remote' ? [spec.remote] : [])),
    ...tasks.flatMap(({ work }) => (work.type === 'workflow' ? machinesIn(work.workflow) : [])),
  ];
}

const nothing = {
  suggestions: [],
  irreversible: [],
  tasks: 0,
  attempts: 0,
  agentTurns: 0,
  repeats: false,
  bounds: [],
  places: [],
} as const;

async function read(
  file: string,
  project: Trusting,
): Promise<{ workflow: Workflow; suggestions: readonly Problem[] }> {
  if (!isData(file)) return { workflow: await loadForReading(file, project), suggestions: [] };
  return parseFile(file);
}

function problemsOf({ details, message }: PitonError, file: string): readonly Problem[] {
  const { problems } = details as { problems?: readonly Problem[] };
  return problems?.map((problem) => ({ file, ...problem })) ?? [{ message, path: '', file }];
}
