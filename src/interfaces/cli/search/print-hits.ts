import { cleanLine, momentText, clockText, type Output, type Style } from '../output/index.ts';
import type { Hit } from './hit.ts';

/** A heading for each attempt, and the lines below it, newest first. */
export class HitPrinter {
  readonly #output: Output;
  #heading = '';

  constructor(output: Output) {
    this.#output = output;
  }

  print(hits: readonly Hit[]): void {
    for (const hit of hits) this.#printHit(hit);
  }

  #printHit(hit: Hit): void {
    const { style } = this.#output;
    const heading = headingOf(hit);
    if (heading !== this.#heading) {
      if (this.#heading !== '') this.#output.print();
      this.#output.print(`${style.bold(cleanLine(heading))}  ${style.dim(momentText(hit.at))}`);
      this.#heading = heading;
    }
    this.#output.print(`  ${style.dim(`${clockText(hit.at)} ${speakerOf(hit)}:`)} ${marked(hit, style)}`);
  }
}

function headingOf({ run, workflow, task, attempt, agent }: Hit): string {
  const which =
    attempt === undefined ? '' : `, attempt ${attempt}${agent === undefined ? '' : ` (${agent})`}`;
  return `${run} (${workflow}): ${task}${which}`;
}

function speakerOf({ role, tool }: Hit): string {
  return cleanLine(tool === undefined ? role : `${role} ${tool}`);
}

function marked({ line, places }: Hit, { red }: Style): string {
  let text = '';
  let done = 0;
  for (const { start, end } of places) {
    text += line.slice(done, start) + red(line.slice(start, end));
    done = end;
  }
  return text + line.slice(done);
}
