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
  const isMeant = ({ name, file }: Defect): boolean =>
    words.length === 0 || words.some((word) => name.includes(word) || file.includes(word));
  const chosen = all.filter(isMeant);
  if (chosen.length === 0) {
    console.error(`No defect has ${words.join(' or ')} in its name or file; they are in test/mutants.`);
    return 2;
  }
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
  const files = choices.flatMap(({ tests }) => tests).length;
  console.log(`Running ${files} test files without any defect first …`);
  for (const choice of choices) {
    if (choice.tests.length === 0) continue;
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
  const stale = of('DOES NOT APPLY ANY MORE: rewrite it').length;
  const unnoticed = of('SURVIVED').length;
  const explained = of('survived, explained');
  for (const defect of explained) console.log(`explained: ${defect.name}: ${defect.explained}`);
  const killed = verdicts.size - stale - unnoticed - explained.length;
  const share = killed / (killed + unnoticed || 1);
  const by = isOrdinary ? 'by `npm test` alone' : 'by their tests';
  console.log(`${killed} of ${killed + unnoticed} defects are noticed ${by}: ${percent(share)}`);
  console.log(`${explained.length} cannot be (explained above), ${stale} do not apply any more.`);
  const isEnough = share >= target(isOrdinary) && (isOrdinary || unnoticed === 0);
  if (!isEnough)
    console.log(`Failed: ${percent(target(isOrdinary))} have to be noticed, and the rest explained.`);
  return isEnough && stale === 0 ? 0 : 1;
}

function target(isOrdinary: boolean): number {
  return isOrdinary ? wanted.ordinary : wanted.all;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
