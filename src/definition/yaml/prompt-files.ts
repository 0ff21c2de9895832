import type { Finding, Path } from '../problems.ts';

/** A prompt that stands in a file of its own. */
export interface PromptFile {
  /** Of the prompt, in the workflow file. */
  readonly at: Path;
  readonly file: string;
  readonly text: string;
}

/** What is wrong with an expression of a prompt file is shown there, not where the file is named. */
export function blamePrompt(finding: Finding, prompts: readonly PromptFile[]): Finding {
  const { at, offset } = finding;
  const prompt = prompts.find((one) => isSame(one.at, at));
  if (prompt === undefined || offset === undefined) return finding;
  const lines = prompt.text.slice(0, offset).split('\n');
  const { file } = prompt;
  return { ...finding, elsewhere: { file, line: lines.length, column: lines.at(-1)!.length + 1 } };
}

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}
