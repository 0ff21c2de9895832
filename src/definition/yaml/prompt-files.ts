import type { Finding, Path } from '../problems.ts';
import type { Conversion } from './conversion.ts';

/** A prompt, or another text, that stands in a file of its own. */
export interface PromptFile {
  /** Of the prompt, in the workflow file. */
  readonly at: Path;
  readonly file: string;
  /** All of the file. */
  readonly text: string;
  /** Where in it the prompt begins; absent: at the beginning. */
  readonly from?: number;
}

/** What is wrong with an expression of a prompt file is shown there, not where the file is named. */
export function blamePrompt(finding: Finding, prompts: readonly PromptFile[]): Finding {
  const { at, offset } = finding;
  const prompt = prompts.find((one) => isSame(one.at, at));
  if (prompt === undefined || offset === undefined) return finding;
  const lines = prompt.text.slice(0, (prompt.from ?? 0) + offset).split('\n');
  const { file } = prompt;
  return { ...finding, elsewhere: { file, line: lines.length, column: lines.at(-1)!.length + 1 } };
}

type Named = Pick<PromptFile, 'file' | 'text'>;
type Refusal = Pick<Finding, 'message' | 'remedy'>;

/** Reads the texts that a workflow file names, and remembers where each of them stands. What cannot be read is a finding. */
export function textFiles(
  read: (path: string) => Named | Refusal,
  findings: Finding[],
): Pick<Conversion, 'readPrompt' | 'readTemplate'> & { readonly prompts: readonly PromptFile[] } {
  const prompts: PromptFile[] = [];
  const find = (path: string, at: Path): Named | undefined => {
    const found = read(path);
    if ('text' in found) return found;
    findings.push({ at, ...found });
    return undefined;
  };
  return {
    prompts,
    readPrompt(path, at) {
      const found = find(path, [...at, 'file']);
      if (found !== undefined) prompts.push({ at, ...found });
      return found?.text;
    },
    readTemplate(path, at) {
      const found = find(path, at);
      if (found === undefined) return {};
      const { title, titleFrom, body, bodyFrom } = splitTemplateFile(found.text);
      const around = at.slice(0, -1);
      prompts.push({ at: [...around, 'title'], ...found, from: titleFrom });
      prompts.push({ at: [...around, 'body'], ...found, from: bodyFrom });
      return { ...(title !== undefined && { title }), body };
    },
  };
}

/** The parts of a template: its first line is the title, if it is a heading. */
function splitTemplateFile(text: string): {
  readonly title?: string;
  readonly titleFrom: number;
  readonly body: string;
  readonly bodyFrom: number;
} {
  const [head = '', mark = '', title] = /^(\uFEFF?#[ \t]+)([^\n]*\S)[ \t\r]*(?:\n\s*|$)/.exec(text) ?? [];
  return {
    ...(title !== undefined && { title }),
    titleFrom: mark.length,
    body: text.slice(head.length),
    bodyFrom: head.length,
  };
}

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}
