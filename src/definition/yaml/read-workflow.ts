import { asError, hasCode, isPlainObject } from '../../base/index.ts';
import type { Workflow } from '../../model/index.ts';
import { normaliseWorkflow, type Normalised } from '../define-workflow.ts';
import {
  definitionError,
  describeProblem,
  isReported,
  valueAt,
  type Finding,
  type Path,
  type Problem,
  type FaultOfPattern,
} from '../problems.ts';
import { checkExpressions } from './check-expressions.ts';
import { checkSchemas } from './check-schemas.ts';
import { checkShape } from './check-shape.ts';
import { convertWorkflow } from './convert-workflow.ts';
import { readDocument, type SourceDocument } from './document.ts';
import { normalise, resolvePath } from './file-paths.ts';
import type { WorkflowFile } from './file-schema.ts';
import { readJobsAsTasks } from './github-jobs.ts';
import { findLaterKeys } from './find-later-keys.ts';
import { toList } from './convert-settings.ts';
import type { Entry } from './task-keys.ts';
import { blamePrompt, textFiles } from './prompt-files.ts';

/** Where the text of a workflow comes from, and what is known around it. */
export interface WorkflowSource {
  /** Its name, for problems; paths in it (`uses`) are relative to it. */
  readonly file: string;
  /** The text of another file. The path is resolved: it begins where `file` begins, not in the folder of `file`. */
  read(path: string): string;
  /** Names of the functions there are, if they are known. */
  readonly functions?: readonly string[];
}

export interface ParsedWorkflow {
  readonly workflow: Workflow;
  /** The file has no `checkpoint`. */
  readonly leavesCheckpoint: boolean;
  /** What is not wrong, but could be better. */
  readonly suggestions: Problem[];
}

export function readWorkflow(text: string, source: WorkflowSource, faultOf: FaultOfPattern): ParsedWorkflow {
  const reading: Reading = { source, faultOf, files: new Map(), open: [normalise(source.file)] };
  const { workflow, leavesCheckpoint, problems, suggestions } = readFile(text, source.file, reading);
  if (workflow === undefined) throw definitionError(problems, source.file);
  return { workflow, leavesCheckpoint: leavesCheckpoint === true, suggestions: [...suggestions] };
}

/** One call of `readWorkflow`, with all files that it comes to. */
interface Reading {
  readonly source: WorkflowSource;
  readonly faultOf: FaultOfPattern;
  readonly files: Map<string, FileResult>;
  /** From the first file to the present one. */
  readonly open: readonly string[];
}

interface FileResult {
  /** Absent exactly when there are problems. */
  readonly workflow?: Workflow;
  readonly leavesCheckpoint?: boolean;
  readonly problems: readonly Problem[];
  readonly suggestions: readonly Problem[];
}

function readFile(text: string, file: string, reading: Reading): FileResult {
  const document = readJobsAsTasks(readDocument(text, file));
  if (document.problems.length > 0) return { problems: document.problems, suggestions: [] };
  if (!isPlainObject(document.value)) {
    const message = 'A workflow file is a mapping with `name` and `tasks` (or `graph`).';
    return { problems: [document.locate({ at: [], message })], suggestions: [] };
  }
  const shape = checkShape(document.value);
  if (shape.file === undefined)
    return { problems: locateAll([...document.findings, ...shape.findings], document), suggestions: [] };
  const made = makeWorkflow(shape.file, shape.findings, reading);
  // What does not fit stands where it was found.
  const blame = (finding: Finding): Finding =>
    shape.findings.includes(finding) ? finding : blameDefaults(finding, shape.file!);
  const findings = made.findings.map(blame).filter(({ at }) => !isReported(at, document.findings));
  const problems = [...locateAll([...document.findings, ...findings], document), ...made.used.problems];
  if (made.workflow === undefined || problems.length > 0) return { problems, suggestions: [] };
  const suggestions = [...locateAll(made.suggestions.map(blame), document), ...made.used.suggestions];
  const leavesCheckpoint = shape.file.checkpoint === undefined;
  return { workflow: made.workflow, leavesCheckpoint, problems: [], suggestions };
}

/** By place in the file, each once. */
function locateAll(findings: readonly Finding[], document: SourceDocument): Problem[] {
  const problems = new Map(
    findings.map(document.locate).map((problem) => [describeProblem(problem), problem]),
  );
  return [...problems.values()].sort((a, b) => a.line! - b.line! || a.column! - b.column!);
}

/** What a task did not say itself it has from the defaults or the file: there it is wrong, and only once. */
function blameDefaults(finding: Finding, file: WorkflowFile): Finding {
  let depth = 0;
  while (finding.at[depth] === 'tasks' || finding.at[depth] === 'graph') depth += 2;
  const [task, inside] = [finding.at.slice(0, depth), finding.at.slice(depth)];
  if (depth === 0 || inside.length === 0) return finding;
  return { ...finding, at: placeOfWrong(file, task, inside) };
}

function placeOfWrong(file: WorkflowFile, task: Path, inside: Path): Path {
  if (inside[0] === 'secrets') return placeOfSecret(file, task, inside[1]);
  // Of the environment each variable may come from elsewhere.
  const key = inside.slice(0, inside[0] === 'env' ? 2 : 1);
  if (hasKey(file, [...task, ...key])) return [...task, ...inside];
  if (hasKey(file, ['defaults', ...key])) return ['defaults', ...inside];
  return sharedKeys.has(key[0]!) && hasKey(file, key) ? inside : [...task, ...inside];
}

/** The lists of the file, the defaults and the task were joined, and each name counted once. */
function placeOfSecret(file: WorkflowFile, task: Path, index: Path[number] | undefined): Path {
  const lists = [['secrets'], ['defaults', 'secrets'], [...task, 'secrets']].map((at) => {
    const given = valueAt(file, at) as Entry['secrets'];
    return { at, isText: typeof given === 'string', names: toList(given) ?? [] };
  });
  const name = [...new Set(lists.flatMap(({ names }) => names))][Number(index)] ?? '';
  const { at, isText, names } = lists.find((list) => list.names.includes(name)) ?? lists.at(-1)!;
  return isText || !names.includes(name) ? at : [...at, names.indexOf(name)];
}

const sharedKeys: ReadonlySet<string | number> = new Set(['env', 'secrets', 'inherit-env', 'setup']);

function hasKey(value: unknown, path: Path): boolean {
  return valueAt(value, path) !== undefined;
}

interface Made extends Pick<Normalised, 'workflow' | 'suggestions'> {
  readonly findings: readonly Finding[];
  /** What was found in other files. */
  readonly used: { readonly problems: readonly Problem[]; readonly suggestions: readonly Problem[] };
}

function makeWorkflow(file: WorkflowFile, shape: readonly Finding[], reading: Reading): Made {
  const findings: Finding[] = [...shape, ...findLaterKeys(file)];
  const used: FileResult[] = [];
  const texts = textFiles((path) => readBeside(path, reading), findings);
  const draft = convertWorkflow(file, {
    findings,
    defaults: file.defaults ?? {},
    shared: file,
    variables: new Set(),
    functions: reading.source.functions,
    use(path, at) {
      const result = useFile(path, reading);
      if ('message' in result) findings.push({ at, ...result });
      else used.push(result);
      return 'message' in result ? undefined : result.workflow;
    },
    readPrompt: texts.readPrompt,
    readTemplate: texts.readTemplate,
  });
  const normalised = normaliseWorkflow(draft);
  findings.push(...checkSchemas(draft), ...normalised.findings);
  findings.push(...checkExpressions(draft, findings, reading.faultOf));
  return {
    ...normalised,
    findings: findings.map((finding) => blamePrompt(finding, texts.prompts)),
    used: {
      problems: used.flatMap(({ problems }) => problems),
      suggestions: used.flatMap(({ suggestions }) => suggestions),
    },
  };
}

type Refusal = Pick<Finding, 'message' | 'remedy'>;

/** Nobody nests so deep; it is a circle that goes by different paths. */
const deepest = 32;

/** A file that several tasks use is read once, and what is wrong with it is told once. */
function useFile(path: string, reading: Reading): FileResult | Refusal {
  const file = resolvePath(reading.open.at(-1)!, path);
  const known = reading.files.get(file);
  if (known !== undefined) return { ...known, problems: [], suggestions: [] };
  if (reading.open.includes(file) || reading.open.length >= deepest) {
    const circle = [...reading.open.slice(Math.max(0, reading.open.indexOf(file))), file];
    return { message: `These files use each other in a circle: ${circle.join(' → ')}.` };
  }
  const text = readText(file, reading.source);
  if (typeof text !== 'string') return text;
  const result = readFile(text, file, { ...reading, open: [...reading.open, file] });
  reading.files.set(file, result);
  return result;
}

/** A text that this file names. */
function readBeside(path: string, reading: Reading): { file: string; text: string } | Refusal {
  const file = resolvePath(reading.open.at(-1)!, path);
  const text = readText(file, reading.source);
  return typeof text === 'string' ? { file, text } : text;
}

function readText(file: string, source: WorkflowSource): string | Refusal {
  try {
    return source.read(file);
  } catch (error) {
    return { message: `\`${file}\` cannot be read: ${reasonOf(error)}` };
  }
}

/** The most common one, without the words of the system around it. */
function reasonOf(error: unknown): string {
  const { message, cause } = asError(error);
  return hasCode(cause, 'ENOENT') ? 'there is no such file.' : message;
}
