import { agents } from './agents.ts';
import { commandLine } from './command-line.ts';
import type { Defect } from './defect.ts';
import { engine } from './engine.ts';
import { isDeep, ScratchCopy, type Choice } from './scratch-copy.ts';
import { spool } from './spool.ts';
import { workspaces } from './workspaces.ts';

const all: readonly Defect[] = [...engine, ...spool, ...workspaces, ...agents, ...commandLine];

/** Of all that are tried, so many have to be noticed; by `npm test` alone a few less. */
const wanted = { all: 0.95, ordinary: 0.9 };

/** On a small machine more would only wait for each other, and tests would be taken for hung. */
const workers = 2;

type Verdict =
  'killed' | 'killed by hanging' | 'SURVIVED' | 'survived, explained' | 'DOES NOT APPLY ANY MORE: rewrite it';

interface Options {
  /** Only what `npm test` runs. */
  readonly isOrdinary: boolean;
}

/** Tries each defect and says how many the tests notice. Gives the exit code. */
export async function runDefects(words: readonly string[], { isOrdinary }: Options): Promise<number> {
  const chosen = all.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const defects = isOrdinary ? chosen.map(ordinaryPart) : chosen;
  const copies = Array.from({ length: Math.min(workers, defects.length) }, () => new ScratchCopy());
  try {
    if (!(await passesUnchanged(copies[0]!, defects))) return 1;
    const verdicts = await tryAll(copies, defects);
    return conclude(verdicts, isOrdinary);
  } finally {
    for (const copy of copies) copy.remove();
  }
}

function ordinaryPart(defect: Defect): Defect {
  return { ...defect, tests: defect.tests.filter((file) => !isDeep(file)) };
}

/** Else a test that is red anyway would pass for one that has noticed something. */
async function passesUnchanged(copy: ScratchCopy, defects: readonly Defect[]): Promise<boolean> {
  const filesOf = (some: readonly Defect[]): string[] => [...new Set(some.flatMap(({ tests }) => tests))];
  const parts = defects.filter(({ named }) => named !== undefined);
  const names = new Set(parts.map(({ named }) => `(?:${named})`));
  const choices: Choice[] = [
    { tests: filesOf(defects.filter(({ named }) => named === undefined)) },
    { tests: filesOf(parts), named: [...names].join('|') },
  ];
  for (const choice of choices) {
    const { how, output } = await copy.runUnchanged(choice);
    if (how === 'passed') continue;
    console.log(`Without any defect the tests have ${how}:\n${output}`);
    return false;
  }
  return true;
}

async function tryAll(
  copies: readonly ScratchCopy[],
  defects: readonly Defect[],
): Promise<ReadonlyMap<Defect, Verdict>> {
  const waiting = [...defects];
  const verdicts = new Map<Defect, Verdict>();
  const work = async (copy: ScratchCopy): Promise<void> => {
    for (let defect = waiting.shift(); defect !== undefined; defect = waiting.shift()) {
      const startedAt = performance.now();
      const verdict = await judge(copy, defect);
      verdicts.set(defect, verdict);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      console.log(`${verdict.padEnd(20)} ${seconds.padStart(6)} s  ${defect.name} (${defect.file})`);
    }
  };
  await Promise.all(copies.map(work));
  return verdicts;
}

async function judge(copy: ScratchCopy, defect: Defect): Promise<Verdict> {
  const { tests, explained } = defect;
  const survived = explained === undefined ? 'SURVIVED' : 'survived, explained';
  if (tests.length === 0) return survived;
  const run = await copy.runWith(defect);
  // What does not compile was not noticed by a test.
  if (run === undefined || run.how === 'broken') return 'DOES NOT APPLY ANY MORE: rewrite it';
  if (run.how === 'passed') return survived;
  return run.how === 'hung' ? 'killed by hanging' : 'killed';
}

function conclude(verdicts: ReadonlyMap<Defect, Verdict>, isOrdinary: boolean): number {
  const of = (verdict: Verdict): Defect[] =>
    [...verdicts].flatMap(([defect, it]) => (it === verdict ? [defect] : []));
  const killed = of('killed').length + of('killed by hanging').length;
  const stale = of('DOES NOT APPLY ANY MORE: rewrite it');
  for (const { name, explained } of of('survived, explained'))
    console.log(`explained: ${name}: ${explained}`);
  const share = killed / (verdicts.size - stale.length || 1);
  const by = isOrdinary ? 'by `npm test` alone' : 'by their tests';
  console.log(`${killed} of ${verdicts.size} defects are noticed ${by}: ${(share * 100).toFixed(1)} %`);
  const target = isOrdinary ? wanted.ordinary : wanted.all;
  const isComplete = stale.length === 0 && (isOrdinary || of('SURVIVED').length === 0);
  return share >= target && isComplete ? 0 : 1;
}
