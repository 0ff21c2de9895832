/** How each of the fixtures is made: a run is driven to a certain place, and its driver killed there. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlowName } from './flows.ts';
import type { Workshop } from './workshop.ts';

export type Scene = (workshop: Workshop) => Promise<void>;

/** Killed at a crash point, and what was under way with it. */
function crashed(flow: FlowName, point: string): Scene {
  return async (workshop) => {
    await workshop.ended(workshop.start(flow, { crashAt: point }), 'SIGKILL');
    workshop.endAttempts();
  };
}

interface At {
  readonly flow: FlowName;
  /** Where an attempt waits. */
  readonly at: string;
  /** What is to be stored before: the type of an event, and its task. */
  readonly after?: readonly (readonly [type: string, task: string])[];
}

const atWork: At = { flow: 'solo', at: 'work', after: [['session.opened', 'build']] };
/** The other task has landed, and its place is gone. */
const landed = [['workspace.cleaned', 'first']] as const;

async function come(workshop: Workshop, { flow, at, after = [] }: At): Promise<ChildProcess> {
  const driver = workshop.start(flow, { hangAt: [at] });
  await workshop.reached(at);
  for (const [type, task] of after) await workshop.stored(type, task);
  return driver;
}

/** Killed while an attempt is under way, and that with it. */
function under(where: At, meanwhile: Scene = async () => {}): Scene {
  return async (workshop) => {
    const driver = await come(workshop, where);
    await meanwhile(workshop);
    await workshop.kill(driver);
    workshop.endAttempts();
  };
}

/** Killed while an attempt is under way, which ends by itself then. */
function unseen(where: At): Scene {
  return async (workshop) => {
    await workshop.kill(await come(workshop, where));
    workshop.letGo(where.at);
    await workshop.attemptsEnded();
  };
}

/** Paused while an attempt is under way; when it has ended, and that is stored, its driver is killed. */
function paused(where: At, [type, task]: readonly [string, string]): Scene {
  return async (workshop) => {
    const driver = await come(workshop, where);
    await pause(workshop);
    workshop.letGo(where.at);
    await leave(workshop, driver, [type, task]);
  };
}

/** The same, but the attempt does not end by itself. */
function interrupted(where: At, task: string, times = 1): Scene {
  return async (workshop) => {
    const driver = await come(workshop, where);
    await pause(workshop);
    workshop.endAttempts();
    await workshop.until('it is interrupted', () => workshop.journal().split('"interrupted"').length > times);
    await leave(workshop, driver, ['attempt.ended', task]);
  };
}

async function pause(workshop: Workshop): Promise<void> {
  await workshop.ended(workshop.call(['pause', workshop.run]), 0);
  await workshop.stored('run.paused', undefined);
}

async function leave(
  workshop: Workshop,
  driver: ChildProcess,
  [type, task]: readonly [string, string],
): Promise<void> {
  await workshop.stored(type, task);
  driver.kill('SIGKILL');
  await workshop.until('its driver has ended', () => driver.exitCode !== null || driver.signalCode !== null);
}

/** Driven until it waits for a person. */
function held(flow: FlowName): Scene {
  return (workshop) => workshop.ended(workshop.start(flow), 3);
}

function delayed(flow: FlowName, task: string): Scene {
  return async (workshop) => {
    const driver = workshop.start(flow);
    await workshop.stored('task.delayed', task);
    await workshop.kill(driver);
  };
}

/** To the second check, which passes. */
async function toSecondCheck(workshop: Workshop): Promise<ChildProcess> {
  const driver = await come(workshop, { flow: 'solo', at: 'check' });
  workshop.hang('again');
  workshop.letGo('check');
  await workshop.reached('again');
  workshop.hang('check');
  workshop.letGo('again');
  await workshop.reached('check');
  return driver;
}

const tell =
  (...args: readonly string[]): Scene =>
  (workshop) =>
    workshop.ended(workshop.call(['tell', workshop.run, 'build', ...args]), 0);

/** A person has the session of the task, and dies after something else has happened. */
function lent(meanwhile: Scene): Scene {
  return async (workshop) => {
    const driver = await come(workshop, { flow: 'beside', at: 'other', after: [['gate.opened', 'build']] });
    const person = workshop.call(['open', workshop.run, 'build']);
    await workshop.stored('session.lent', 'build');
    await meanwhile(workshop);
    await workshop.kill(driver);
    await workshop.kill(person);
    workshop.endAttempts();
  };
}

/** Decided by a process that is killed when that is stored. */
function decided(args: (run: string) => readonly string[], point: string): Scene {
  return async (workshop) => {
    await workshop.ended(workshop.call(args(workshop.run), { crashAt: point }), 'SIGKILL');
    workshop.endAttempts();
  };
}

/** One after the other. */
function then(...parts: readonly Scene[]): Scene {
  return async (workshop) => {
    for (const part of parts) await part(workshop);
  };
}

const cancelled: Scene = async (workshop) => {
  const driver = await come(workshop, atWork);
  await workshop.ended(workshop.call(['cancel', workshop.run]), 0);
  await workshop.until('it has ended', () => driver.exitCode !== null);
};

const failed: Scene = (workshop) => workshop.ended(workshop.start('failing'), 1);

const atSetup: At = { flow: 'solo', at: 'setup' };
const atCheck: At = { flow: 'solo', at: 'check' };
const atAgain: At = { flow: 'solo', at: 'again', after: [['check.failed', 'build']] };
const atVerify: At = { flow: 'walk', at: 'verify', after: landed };
const atUnfitted: At = { flow: 'conflict', at: 'again', after: landed };

const stages: Readonly<Record<string, Scene>> = {
  'setup-not-begun': crashed('solo', 'after:run.created#1'),
  'setup-under-way': under(atSetup),
  'setup-done': paused(atSetup, ['workspace.equipped', 'build']),
  'work-under-way': under(atWork),
  'work-unseen': unseen(atWork),
  'work-interrupted': interrupted(atWork, 'build'),
  'work-adopted': async (workshop) => {
    await workshop.kill(await come(workshop, atWork));
    const driver = workshop.call(['resume', workshop.run]);
    await workshop.stored('attempt.recovered', 'build');
    await workshop.kill(driver);
    workshop.endAttempts();
  },
  'work-done': paused(atWork, ['work.finished', 'build']),
  'check-under-way': under(atCheck),
  'check-unseen': unseen(atCheck),
  'check-failed': paused(atCheck, ['check.failed', 'build']),
  'check-passed': async (workshop) => {
    const driver = await toSecondCheck(workshop);
    await pause(workshop);
    workshop.letGo('check');
    await leave(workshop, driver, ['check.passed', 'build']);
  },
  'revision-under-way': under(atAgain),
  'told-under-way': under(atWork, tell('Mind the gap.')),
  'told-now': async (workshop) => {
    const driver = await come(workshop, atWork);
    workshop.hang('again');
    await tell('--now', 'Stop that.')(workshop);
    await workshop.reached('again');
    await workshop.kill(driver);
    workshop.endAttempts();
  },
  'told-done': async (workshop) => {
    const driver = await come(workshop, atWork);
    await pause(workshop);
    await tell('Mind the gap.')(workshop);
    workshop.letGo('work');
    await workshop.stored('attempt.ended', 'build', 2);
    await leave(workshop, driver, ['attempt.ended', 'build']);
  },
  'told-nobody': then(under(atWork), tell('Is anybody there?')),
  'integrate-under-way': crashed('walk', 'before:merge.proposed#1'),
  'verify-under-way': under(atVerify),
  'verify-interrupted': interrupted(atVerify, 'build'),
  verified: paused(atVerify, ['merge.verified', 'build']),
  'landed-unseen': crashed('walk', 'before:workspace.integrated#2'),
  'unfitted-under-way': under(atUnfitted),
  'unfitted-interrupted': interrupted(atUnfitted, 'build'),
  'rejected-batch': async (workshop) => {
    const driver = await come(workshop, { flow: 'batch', at: 'check', after: landed });
    await workshop.until('both are checked', () => workshop.traced('check') === 2);
    await pause(workshop);
    workshop.letGo('check');
    await workshop.stored('check.passed', 'left');
    await leave(workshop, driver, ['check.passed', 'right']);
    await decided((run) => ['resume', run], 'after:merge.rejected#1')(workshop);
  },
};

const waits: Readonly<Record<string, Scene>> = {
  'held-conflict': held('clash'),
  'held-place': async (workshop) => {
    await unseen(atWork)(workshop);
    rmSync(join(workshop.repository, '.piton/worktrees', workshop.run, 'build'), { recursive: true });
    await workshop.ended(workshop.call(['resume', workshop.run]), 3);
  },
  'begun-from-scratch': then(
    (workshop) => waits['held-place']!(workshop),
    decided((run) => ['retry', run, 'build', '--fresh'], 'after:tasks.reopened#1'),
  ),
  'place-ordered': then(
    (workshop) => waits['held-place']!(workshop),
    decided((run) => ['workspace', 'recreate', run, 'build'], 'after:workspace.ordered#1'),
  ),
  'held-approval': held('approval'),
  'held-approved': then(
    held('approval'),
    decided((run) => ['approve', run, 'build'], 'after:gate.decided#1'),
  ),
  'held-question': held('question'),
  'held-allowed': then(
    held('question'),
    decided((run) => ['approve', run, 'build'], 'after:gate.decided#1'),
  ),
  'held-budget': held('budget'),
  'held-raised': then(
    held('budget'),
    decided((run) => ['approve', run, 'build', '--budget', '+1k-tokens'], 'after:budget.raised#1'),
  ),
  'held-interrupted': async (workshop) => {
    await under({ flow: 'ask', at: 'build' })(workshop);
    await workshop.ended(workshop.call(['resume', workshop.run]), 3);
  },
  lent: lent(async () => {}),
  'held-lent': lent(async (workshop) => {
    await workshop.ended(workshop.call(['approve', workshop.run, 'build']), 0);
    await workshop.stored('task.held', 'build');
  }),
  'held-limit': held('limit-held'),
  'held-aside': held('aside'),
  'delayed-network': delayed('network', 'build'),
  'delayed-retry': delayed('retry', 'build'),
  'delayed-breaker': async (workshop) => {
    const driver = await come(workshop, { flow: 'breaker', at: 'plan', after: [['task.delayed', 'build']] });
    workshop.letGo('plan');
    await workshop.stored('task.delayed', 'other');
    await workshop.kill(driver);
  },
  'delayed-limit': delayed('limit', 'build'),
  'delayed-day': delayed('day', 'build'),
  'cancelled-under-way': async (workshop) => {
    const driver = workshop.start('solo', { crashAt: 'after:cancel.requested#1', hangAt: ['work'] });
    await workshop.reached('work');
    await workshop.stored('session.opened', 'build');
    workshop.call(['cancel', workshop.run]);
    await workshop.ended(driver, 'SIGKILL');
    workshop.endAttempts();
  },
  'reopened-cancelled': then(
    cancelled,
    decided((run) => ['retry', run, 'build'], 'after:tasks.reopened#1'),
  ),
  'failing-fast': async (workshop) => {
    const driver = workshop.start('fast', { hangAt: ['other'], crashAt: 'after:task.failed#1' });
    await workshop.ended(driver, 'SIGKILL');
    workshop.endAttempts();
  },
  failed,
  'reopened-failed': then(
    failed,
    decided((run) => ['retry', run], 'after:tasks.reopened#1'),
  ),
};

const shapes: Readonly<Record<string, Scene>> = {
  'items-under-way': async (workshop) => {
    const driver = workshop.start('items', { hangAt: ['c', 'd'] });
    await workshop.reached('c');
    await workshop.reached('d');
    await workshop.stored('task.succeeded', 'build[a]');
    await workshop.stored('task.succeeded', 'build[b]');
    await workshop.kill(driver);
    workshop.endAttempts();
  },
  'functions-under-way': async (workshop) => {
    const driver = workshop.startFunctions(['build', 'ship']);
    await workshop.reached('build');
    await workshop.reached('ship');
    await workshop.kill(driver);
  },
  'nested-under-way': under({ flow: 'nested', at: 'two' }),
  'graph-under-way': async (workshop) => {
    const driver = await come(workshop, { flow: 'graph', at: 'second' });
    workshop.hang('first');
    workshop.letGo('second');
    await workshop.reached('first');
    await workshop.kill(driver);
    workshop.endAttempts();
  },
};

/** Killed when all has been done; then the end of the log of the database is lost. */
const behind: Scene = async (workshop) => {
  await workshop.ended(workshop.start('chain', { crashAt: 'before:run.succeeded#1' }), 'SIGKILL');
  cutLog(join(workshop.repository, '.piton/piton.db-wal'), () => workshop.journal());
};

const repaired: Scene = async (workshop) => {
  await behind(workshop);
  await workshop.ended(workshop.call(['verify', workshop.run, '--repair']), 0);
};

const losses: Readonly<Record<string, Scene>> = {
  behind,
  repaired,
  'repaired-taken-up': async (workshop) => {
    await repaired(workshop);
    const again = workshop.call(['resume', workshop.run], { crashAt: 'after:attempt.started#1' });
    await workshop.ended(again, 'SIGKILL');
  },
};

/** Frame by frame, until the second task has not begun. */
function cutLog(log: string, journal: () => string): void {
  const bytes = readFileSync(log);
  const frame = 24 + bytes.readUInt32BE(8);
  for (let end = bytes.length - ((bytes.length - 32) % frame); end > 32; end -= frame) {
    writeFileSync(log, bytes);
    truncateSync(log, end);
    rmSync(log.replace(/wal$/, 'shm'), { force: true });
    if (!journal().includes('"task":"two"')) return;
  }
  throw new Error('nothing of the log could be cut off');
}

export const scenes: Readonly<Record<string, Scene>> = { ...stages, ...waits, ...shapes, ...losses };
