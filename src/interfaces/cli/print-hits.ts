import type { SearchHit } from '../../library/index.ts';
import { cleanLine, clockText, momentText, type Output, type Style } from './output/index.ts';

/** A heading for each attempt, and the lines below it, newest first. */
export class HitPrinter {
  readonly #output: Output;
  #heading = '';

  constructor(output: Output) {
    this.#output = output;
  }

  print(hit: SearchHit): void {
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

function headingOf({ run, workflow, task, number, agent }: SearchHit): string {
  const which = number === undefined ? '' : `, attempt ${number}${agent === undefined ? '' : ` (${agent})`}`;
  return `${run} (${workflow}): ${task}${which}`;
}

function speakerOf({ role, tool }: SearchHit): string {
  return cleanLine(tool === undefined ? role : `${role} ${tool}`);
}

function marked({ line, places }: SearchHit, { red }: Style): string {
  let text = '';
  let done = 0;
  for (const { start, end } of places) {
    text += line.slice(done, start) + red(line.slice(start, end));
    done = end;
  }
  return text + line.slice(done);
}
