import { isPlainObject, PitonError } from '../../base/index.ts';
import { parseWorkflow } from '../parse-workflow.ts';
import { definitionError, type Path, type Problem } from '../problems.ts';
import { readDocument, type SourceDocument } from '../yaml/document.ts';
import { translateEnvironment } from './environment.ts';
import { Inputs } from './inputs.ts';
import { Notes, shown, type LeftOut } from './notes.ts';
import { Untranslatable, type JobScope } from './job-scope.ts';
import {
  needsOf,
  onlyOutput,
  reasonToLeaveJob,
  translateJob,
  type Job,
  type TaskEntry,
} from './translate-job.ts';
import { writeDraft, type DraftParts } from './write-draft.ts';

/** A first draft of a workflow, and what it does not have of the original. */
export interface GithubDraft {
  readonly yaml: string;
  readonly leftOut: readonly LeftOut[];
  readonly jobs: number;
  readonly tasks: number;
}

export interface GithubSource {
  /** As it is to be told to people. */
  readonly file: string;
  /** The name that the workflow is to have. */
  readonly name: string;
}

/**
 * Translates a workflow of GitHub Actions. The draft is valid: what could not be said is left out, and told. Throws
 * `DEFINITION_INVALID` for what is no YAML, and `GITHUB_WORKFLOW_UNUSABLE` if there is no job that could be translated.
 */
export async function draftFromGithub(text: string, source: GithubSource): Promise<GithubDraft> {
  const document = readDocument(text, source.file);
  if (document.problems.length > 0) throw definitionError(document.problems, source.file);
  const { value } = document;
  if (!isPlainObject(value) || !isPlainObject(value['jobs']))
    throw unusable(
      source,
      'It has no `jobs`.',
      'Give the path of a workflow of GitHub Actions, such as .github/workflows/ci.yml.',
    );
  const notes = new Notes(document);
  const parts = translateFile(value, { document, notes, source });
  const { yaml, tasks } = await settle(parts, { notes, source });
  return { yaml, leftOut: notes.all(), jobs: Object.keys(value['jobs']).length, tasks };
}

function unusable({ file }: GithubSource, reason: string, remedy: string): PitonError {
  return new PitonError('GITHUB_WORKFLOW_UNUSABLE', `${shown(file)} cannot be translated: ${reason}`, {
    file,
    remedy,
  });
}

interface Around {
  readonly document: SourceDocument;
  readonly notes: Notes;
  readonly source: GithubSource;
}

function translateFile(file: Job, { notes, source }: Around): DraftParts {
  const inputs = new Inputs(file['on'], notes);
  const jobs = Object.entries(file['jobs'] as Record<string, unknown>).filter(
    (entry): entry is [string, Job] => isPlainObject(entry[1]),
  );
  noteFile(file, notes);
  const all = { needs: new Map(jobs.map(([name, job]) => [name, { output: onlyOutput(job) }])) };
  const base = {
    ...all,
    inputs: inputs.types,
    env: new Map<string, string>(),
    foreign: foreignAt(inputs, ['env']),
  };
  const { env, secrets } = translateEnvironment(file['env'], {
    at: ['env'],
    notes,
    scope: { ...base, matrix: undefined },
  });
  const known = new Map([...env].filter(([, value]) => !value.includes('${{')));
  const { tasks, needsBash } = translateJobs(jobs, {
    notes,
    scope: { ...base, env: known },
    defaults: defaultsOf(file),
    inputs,
  });
  const title = file['name'];
  return {
    name: source.name,
    origin: source.file,
    description: typeof title === 'string' && title !== source.name ? shown(title) : undefined,
    inputs: inputs.entries(),
    env,
    secrets: [...secrets],
    shell: needsBash ? 'bash' : undefined,
    tasks,
  };
}

function foreignAt(inputs: Inputs, at: Path): JobScope['foreign'] {
  return (path, type) => inputs.foreign(path, type, at);
}

function defaultsOf(file: Job): Job {
  const { defaults } = file;
  return isPlainObject(defaults) && isPlainObject(defaults['run']) ? defaults['run'] : {};
}

interface JobsPlace {
  readonly notes: Notes;
  readonly scope: Omit<JobScope, 'matrix'>;
  readonly defaults: Job;
  readonly inputs: Inputs;
}

function translateJobs(
  jobs: readonly (readonly [string, Job])[],
  { notes, scope, defaults, inputs }: JobsPlace,
) {
  const names = new Set(jobs.flatMap(([name, job]) => (mayBeTask(name, job, notes) ? [name] : [])));
  const tasks = new Map<string, TaskEntry>();
  let needsBash = false;
  for (const [name, job] of jobs.filter(([name]) => names.has(name))) {
    const needs = new Map(
      needsOf(job).flatMap((need) => (names.has(need) ? [[need, scope.needs.get(need)!] as const] : [])),
    );
    try {
      const made = translateJob(job, {
        at: ['jobs', name],
        notes,
        scope: { ...scope, needs, foreign: foreignAt(inputs, ['jobs', name]) },
        tasks: names,
        defaults,
      });
      tasks.set(name, made.entry);
      needsBash ||= made.needsBash;
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error;
      names.delete(name);
      notes.todo(['jobs', name], `the job \`${name}\``, `Write it yourself: ${error.message}.`);
    }
  }
  return { tasks: withoutNeeds(tasks, names), needsBash };
}

function mayBeTask(name: string, job: Job, notes: Notes): boolean {
  const reason =
    /^[A-Za-z_][\w-]*$/.test(name) && !['constructor', 'deliver'].includes(name)
      ? reasonToLeaveJob(job)
      : 'A task cannot have this name: choose another.';
  if (reason === undefined) return true;
  const uses = typeof job['uses'] === 'string' ? ` (${job['uses']})` : '';
  notes.todo(['jobs', name], `the job \`${name}\`${uses}`, reason);
  return false;
}

/** What is left out cannot be needed. */
function withoutNeeds(
  tasks: ReadonlyMap<string, TaskEntry>,
  names: ReadonlySet<string>,
): Map<string, TaskEntry> {
  return new Map(
    [...tasks].map(([name, entry]) => {
      const { needs, ...rest } = entry;
      const left = (
        Array.isArray(needs) ? (needs as string[]) : needs === undefined ? [] : [needs as string]
      ).filter((need) => names.has(need));
      return [name, left.length === 0 ? rest : { needs: left.length === 1 ? left[0] : left, ...rest }];
    }),
  );
}

const useless = ['permissions', 'concurrency', 'run-name'] as const;

function noteFile(file: Job, notes: Notes): void {
  const { on } = file;
  const hasSchedule = isPlainObject(on) && on['schedule'] !== undefined;
  if (hasSchedule)
    notes.todo(['on', 'schedule'], '`on: schedule`', 'Start it from cron: `piton run <workflow>`.');
  else if (on !== undefined) notes.drop(['on'], '`on`');
  for (const key of useless) if (file[key] !== undefined) notes.drop([key], `\`${key}\``);
}

/** What does not validate after all is left out, one round after the other. */
async function settle(
  parts: DraftParts,
  { notes, source }: Pick<Around, 'notes' | 'source'>,
): Promise<{ yaml: string; tasks: number }> {
  const { tasks } = parts;
  for (;;) {
    if (tasks.size === 0)
      throw unusable(
        source,
        'none of its jobs could be translated.',
        'Write the workflow by hand: docs/guides/from-github-actions.md.',
      );
    const yaml = writeDraft(parts, notes.all());
    const problems = await problemsOf(yaml);
    if (problems.length === 0) return { yaml, tasks: tasks.size };
    for (const { path, message } of problems) leaveTask(path, message, { tasks, notes });
  }
}

async function problemsOf(yaml: string): Promise<readonly Problem[]> {
  try {
    await parseWorkflow(yaml, { file: 'draft.yaml', read: () => '' });
    return [];
  } catch (error) {
    const { details } = error as { details?: { problems?: readonly Problem[] } };
    if (details?.problems === undefined) throw error;
    return details.problems;
  }
}

function leaveTask(
  path: string,
  message: string,
  { tasks, notes }: Pick<DraftParts, 'tasks'> & { notes: Notes },
): void {
  const named = /^tasks\.([\w-]+)/.exec(path)?.[1];
  // What is not in a task concerns all of them.
  const name = named !== undefined && tasks.has(named) ? named : [...tasks.keys()].at(-1);
  if (name === undefined) return;
  tasks.delete(name);
  notes.todo(['jobs', name], `the job \`${name}\``, `Write it yourself: ${message}`);
  const rest = withoutNeeds(tasks, new Set(tasks.keys()));
  for (const [key, entry] of rest) tasks.set(key, entry);
}
