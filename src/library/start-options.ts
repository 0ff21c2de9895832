import { PitonError } from '../base/index.ts';
import { checkInputs } from '../definition/index.ts';
import { assertSecretsOf, type EnginePorts, type Inputs } from '../engine/index.ts';
import { mayNeedWorktrees, mentionsGit } from '../kernel/index.ts';
import type { Origin, RunAbout, Workflow } from '../model/index.ts';
import type { Definition } from './definition.ts';
import { plainInputs } from './plain-inputs.ts';

/** What a run is started with: inputs, the state of a graph, or both, as the workflow has them. */
export type StartOptions<Given, State> = {
  /** The run's name; starting the same id again attaches to that run. Default: a random one. */
  readonly id?: string;
  /** The folder its commands run in, and what it is compared with when it goes on. Default: the working directory. */
  readonly origin?: Origin;
} & RunAbout &
  InputsOption<Given> &
  StateOption<State>;

type InputsOption<Given> = [Given] extends [undefined]
  ? unknown
  : {} extends Given
    ? { readonly inputs?: Given }
    : { readonly inputs: Given };
type StateOption<State> = State extends object ? { readonly state?: Partial<State> } : unknown;

export async function inputsFor(definition: Definition, given: unknown): Promise<Inputs> {
  const inputs = plainInputs(given, 'inputs');
  return definition.declaresInputs === true ? checkInputs(definition.workflow, inputs) : inputs;
}

/** Where agents write, it is looked for: they work in worktrees of it. */
export async function withRepository(
  { workspaces, store, environment }: EnginePorts,
  origin: Origin,
  { workflow, run }: { readonly workflow: Workflow; readonly run: string },
): Promise<Origin> {
  if (!mayNeedWorktrees(workflow) && origin.workspace?.mode !== 'worktree') return origin;
  const repository = await workspaces.find(origin.directory, workflow.base);
  if (repository === undefined && mentionsGit(workflow)) throw noRepository(origin.directory);
  if (repository === undefined) return origin;
  if ((await store.findRun(run)) === undefined) {
    // Before the repository's configuration is taken for the user's own: that is only for runs that begin.
    assertSecretsOf(workflow, environment);
    await workspaces.assertFree(repository, run);
  }
  return { ...origin, repository };
}

export async function countUncommitted(
  { workspaces }: EnginePorts,
  workflow: Workflow,
  folder: string,
): Promise<number> {
  if (!mayNeedWorktrees(workflow)) return 0;
  const repository = await workspaces.find(folder, undefined);
  return repository === undefined ? 0 : workspaces.uncommitted(repository);
}

function noRepository(folder: string): PitonError {
  const message = `The workflow wants worktrees or a pull request, and ${folder} is in no git repository with a commit and a checkout.`;
  return new PitonError('GIT_MISSING', message, {
    folder,
    remedy:
      'Run it in one (`git init`, and commit something), or take `workspace` or `deliver` out of the workflow.',
  });
}
