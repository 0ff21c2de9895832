import { asError, hasCode, isPlainObject } from '../../base/index.ts';
import type { Workflow } from '../../model/index.ts';
import { normaliseWorkflow } from '../define-workflow.ts';
import { definitionError, type Finding, type Path, type Problem } from '../problems.ts';
import { checkExpressions } from './check-expressions.ts';
import { checkSchemas } from './check-schemas.ts';
import { checkShape } from './check-shape.ts';
import { convertWorkflow } from './convert-workflow.ts';
import { readDocument, type SourceDocument } from './document.ts';
import { normalise, resolvePath } from './file-paths.ts';
import type { WorkflowFile } from './file-schema.ts';
import { findLaterKeys } from './find-later-keys.ts';

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
  /** What is not wrong, but could be better. */
  readonly suggestions: Problem[];
}

export function readWorkflow(text: string, source: WorkflowSource): ParsedWorkflow {
  const reading: Reading = { source, files: new Map(), open: [normalise(source.file)] };
  const { workflow, problems, suggestions } = readFile(text, source.file, reading);
  if (workflow === undefined) throw definitionError(problems, source.file);
  return { workflow, suggestions: [...suggestions] };
}

/** One call of `readWorkflow`, with all files that it comes to. */
interface Reading {
  readonly source: WorkflowSource;
  readonly files: Map<string, FileResult>;
  /** From the first file to the present one. */
  readonly open: readonly string[];
}

interface FileResult {
  /** Absent exactly when there are problems. */
  readonly workflow?: Workflow;
  readonly problems: readonly Problem[];
  readonly suggestions: readonly Problem[];
}

function readFile(text: string, file: string, reading: Reading): FileResult {
  const document = readDocument(text, file);
  if (document.problems.length > 0) return { problems: document.problems, suggestions: [] };
  if (!isPlainObject(document.value)) {
    const message = 'A workflow file is a mapping with `name` and `tasks` (or `graph`).';
    return { problems: [document.locate({ at: [], message })], suggestions: [] };
  }
  const shape = checkShape(document.value);
  const { file: content } = shape;
  const locateAll = (findings: readonly Finding[]) => locate(findings, document, content);
  if (content === undefined) return { problems: locateAll(shape.findings), suggestions: [] };
  const { workflow, findings, suggestions, problems } = makeWorkflow(content, shape.findings, reading);
  const found = [...problems, ...locateAll(findings)];
  if (workflow === undefined || found.length > 0) return { problems: found, suggestions: [] };
  return { workflow, problems: [], suggestions: locateAll(suggestions) };
}

function makeWorkflow(content: WorkflowFile, shape: readonly Finding[], reading: Reading) {
  const findings: Finding[] = [...shape, ...findLaterKeys(content)];
  const problems: Problem[] = [];
  const draft = convertWorkflow(content, {
    findings,
    defaults: content.defaults ?? {},
    variables: new Set(),
    functions: reading.source.functions,
    use: (path, at) => {
      const used = useFile(path, at, reading);
      findings.push(...used.findings);
      problems.push(...used.problems);
      return used.workflow;
    },
  });
  const normalised = normaliseWorkflow(draft);
  findings.push(...checkSchemas(draft), ...normalised.findings);
  findings.push(...checkExpressions(draft, findings));
  return { ...normalised, findings, problems };
}
