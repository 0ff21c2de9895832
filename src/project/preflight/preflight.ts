import { readBounded } from '../../base/index.ts';
import { loadKeyLocator, type KeyName, type KeyPlace } from '../../definition/index.ts';
import type { DeliverWork, Workflow } from '../../model/index.ts';
import { surroundingsFor } from '../agents/look-for-agents.ts';
import { placesIn, type PlannedPlace } from '../plan/plan-places.ts';
import type { Trusting } from '../surroundings.ts';
import { isData } from '../workflows/workflow-files.ts';
import { checkAgents } from './check-agents.ts';
import { checkCommands } from './check-commands.ts';
import { checkRepository } from './check-repository.ts';
import { checkContained, checkMachine, checkSettings } from './check-settings.ts';
import { CommittedFiles } from './committed-files.ts';
import type { Lack, Preflight, PreflightFinding } from './finding.ts';
import { Programs } from './programs.ts';
import type { CheckedRepository, CheckedTask } from './checked-task.ts';
import { listTasks, type ListedTask } from './tasks-in.ts';

/** Looks at what a run would lack. Nothing of the project is executed, and no network is asked. */
export async function preflight(
  project: Pick<Trusting, 'config' | 'env' | 'granted'>,
  workflow: Workflow,
  file?: string,
): Promise<Preflight> {
  const lacks = await lacksOf(project, workflow);
  const findings = lacks.length === 0 ? [] : await locateAll(lacks, file);
  return { ok: findings.every(({ level }) => level !== 'error'), findings };
}

async function lacksOf(
  project: Pick<Trusting, 'config' | 'env' | 'granted'>,
  workflow: Workflow,
): Promise<Lack[]> {
  const config = await project.granted();
  const env = surroundingsFor(project).environment;
  const tasks = listTasks(workflow);
  const places = placesIn(workflow, config);
  const placed = new Map(places.map((one) => [one.task, one.place]));
  const programs = new Programs();
  const committed = new CommittedFiles(config.root, workflow.base);
  const checkedTasks = tasks.map((task) => {
    const place = placed.get(task.path.join('/'));
    const isOfRun = place === undefined || place.mode === 'shared' || place.mode === 'worktree';
    const hasPlace = place !== undefined && place.mode !== 'shared';
    const folder = isOfRun ? config.root : undefined;
    const seen = place?.mode === 'worktree' ? { committed } : {};
    return { task, config, env, programs, place, hasPlace, folder, ...seen };
  });
  const here = checkedTasks.filter(({ place }) => place?.mode !== 'remote');
  const [repository, contained] = await Promise.all([
    checkRepository({ workflow, places, deliveries: tasks.filter(isDelivery), config, env }),
    checkContained(here),
  ]);
  return [
    ...repository,
    ...checkedTasks.flatMap((checked) => checkTask(checked, checked.place)),
    ...contained,
  ];
}

/** What is installed on another machine is not known here. */
function checkTask(checked: CheckedTask, place: PlannedPlace['place'] | undefined): Lack[] {
  if (place?.mode === 'remote')
    return [...checkMachine({ ...checked, machine: place.remote }), ...checkSettings(checked)];
  return [...checkAgents(checked), ...checkCommands(checked), ...checkSettings(checked)];
}

function isDelivery(task: ListedTask): task is CheckedRepository['deliveries'][number] {
  return (task.spec.work as DeliverWork).type === 'deliver';
}

/** By place in the file, where it is one that has lines; the same thing at the same place is told once. */
async function locateAll(lacks: readonly Lack[], file: string | undefined): Promise<PreflightFinding[]> {
  const placeOf = await locatorOf(file);
  const findings = new Map<string, PreflightFinding>();
  for (const { task, key, ...lack } of lacks) {
    const named = task.length === 0 ? {} : { task: task.join('/') };
    const finding = { ...lack, ...placeOf({ task, key }), ...named };
    const { level, message, file: where, line, path } = finding;
    const same = `${message}\0${where}\0${line}\0${line === undefined ? path : ''}`;
    const known = findings.get(same);
    if (known === undefined || (known.level === 'warning' && level === 'error')) findings.set(same, finding);
  }
  return [...findings.values()].sort((a, b) =>
    a.level === b.level ? (a.line ?? 0) - (b.line ?? 0) : a.level < b.level ? -1 : 1,
  );
}

async function locatorOf(file: string | undefined): Promise<(name: KeyName) => KeyPlace> {
  const plain = ({ task, key }: KeyName): KeyPlace => ({
    ...(file !== undefined && { file }),
    path: [...task.flatMap((name) => ['tasks', name]), key].join('.'),
  });
  if (file === undefined || !isData(file)) return plain;
  const locate = (await loadKeyLocator())(file, (path) => readBounded(path).toString('utf8'));
  return (name) => {
    try {
      return locate(name);
    } catch {
      // It may have been changed or removed since it was read.
      return plain(name);
    }
  };
}
