/**
 * Files by which steps of GitHub tell others something: `$GITHUB_ENV`, `$GITHUB_OUTPUT`, `$GITHUB_PATH`. All steps of a job
 * become one script here, where a variable does the same.
 */
export interface RewrittenCommand {
  readonly text: string;
  /** By name, the variables that hold what the step gives. */
  readonly outputs: ReadonlyMap<string, string>;
  /** It sets variables that later steps read. */
  readonly isSetting: boolean;
  /** Files that are still written to, in a way that is not understood. */
  readonly left: readonly string[];
}

const setting = /^(\s*)echo\s+(["']?)([A-Za-z_]\w*)=([^"']*)\2\s*>>\s*"?\$\{?GITHUB_(ENV|OUTPUT)\}?"?\s*$/;
const path = /^(\s*)echo\s+(["']?)([^"']+)\2\s*>>\s*"?\$\{?GITHUB_PATH\}?"?\s*$/;
const summary = /\s*>>?\s*"?\$\{?GITHUB_STEP_SUMMARY\}?"?/g;

export function rewriteRunnerFiles(text: string, id: string | undefined): RewrittenCommand {
  const outputs = new Map<string, string>();
  let isSetting = false;
  const lines = text.split('\n').map((line) => {
    const [, indent, quote, name, value, file] = setting.exec(line) ?? [];
    if (name !== undefined) {
      isSetting = true;
      const variable = file === 'ENV' ? name : variableOf(id, name);
      if (file === 'OUTPUT') outputs.set(name, variable);
      const mark = quote === "'" ? "'" : '"';
      return `${indent}${file === 'ENV' ? 'export ' : ''}${variable}=${mark}${value}${mark}`;
    }
    const added = path.exec(line);
    if (added === null) return line.replaceAll(summary, '');
    isSetting = true;
    return `${added[1]}export PATH="${added[3]}:$PATH"`;
  });
  const rest = lines.join('\n');
  const left = new Set(rest.match(/\bGITHUB_(?:ENV|OUTPUT|PATH|STEP_SUMMARY|STATE)\b/g) ?? []);
  return { text: rest, outputs, isSetting, left: [...left].sort() };
}

function variableOf(id: string | undefined, name: string): string {
  return `${id ?? 'step'}_${name}`.replaceAll(/\W/g, '_');
}
