import { asError, hasControls, visibleText } from '../../../base/index.ts';
import type { CommandResult, Diff, Run, WatchedRun, WatchedTask } from '../../../library/index.ts';
import type { AskedCall } from '../conversation/index.ts';
import { questionText, type Progress } from '../progress/index.ts';
import { evidenceFor } from './evidence.ts';
import { GatePrompt, type Decision } from './gate-prompt.ts';
import type { KeyPorts } from './key-ports.ts';
import { askForPasteMarks, noPasteMarks, onKeys, type Key } from './keys.ts';

/** Told when nobody is asked about a run any more. */
type Answered = (run: string) => void;

/** Nobody has read a question that has only just appeared: what is typed so early was meant for something else. */
const readingMs = 300;

interface Asked {
  readonly view: WatchedRun;
  readonly task: string;
  readonly gate: string;
}

/** Asks whoever watches a run what its gates ask, one after the other, and puts what they decide to the run as any other terminal would. */
export class GateKeys {
  readonly #ports: KeyPorts;
  readonly #progress: Progress;
  readonly #answered: Answered;
  readonly #later = new Set<string>();
  #asked: Asked | undefined;
  #prompt: GatePrompt | undefined;
  #stopKeys: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(ports: KeyPorts, progress: Progress, answered: Answered) {
    this.#ports = ports;
    this.#progress = progress;
    this.#answered = answered;
  }

  /** Whether somebody is being asked about the run, or is about to be. */
  isAsking({ run }: WatchedRun): boolean {
    return this.#asked?.view.run === run;
  }

  /** Asks what the run asks now; what was decided elsewhere meanwhile is asked no more. Called after every commit. */
  refresh(view: WatchedRun): void {
    if (this.#isClosed) return;
    if (this.#asked !== undefined) {
      if (this.#asked.view !== view || gateOf(view, this.#asked.task) === this.#asked.gate) return;
      this.#end();
    }
    if (!view.hasHeld) return;
    const next = [...view.tasks()].find(({ gate }) => gate !== undefined && !this.#later.has(gate));
    if (next === undefined) return;
    this.#asked = { view, task: next.address, gate: next.gate! };
    void this.#open(this.#asked, next);
  }

  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  async #open(asked: Asked, task: WatchedTask): Promise<void> {
    const diff = asked.view.hasWork ? await this.#diff(asked, 'stat') : undefined;
    if (this.#asked !== asked) return;
    const text = `${task.address} ${questionText({ text: task.reason ?? '', ...askedOf(task) })}`;
    const details = evidenceFor(asked.view, task, diff);
    this.#progress.say({ tone: 'warning', symbol: '?', text, details });
    this.#ports.output.write(askForPasteMarks);
    process.on('exit', this.#restore);
    this.#stopKeys = onKeys(this.#ports.stdin(), (keys) => void this.#press(asked, keys));
    this.#timer = setTimeout(() => {
      this.#prompt = new GatePrompt(task.question, { hasDiff: diff !== undefined });
      this.#progress.prompt((columns) => this.#prompt?.lines(columns, this.#ports.now()) ?? []);
    }, readingMs);
  }

  async #press(asked: Asked, keys: readonly Key[]): Promise<void> {
    const verdict = this.#asked === asked ? this.#prompt?.press(keys) : undefined;
    if (verdict === undefined) return;
    if (verdict.type === 'diff') return this.#showDiff(asked);
    if (verdict.type === 'later') this.#later.add(asked.gate);
    else await this.#send(asked, verdict);
    if (this.#asked !== asked) return;
    this.#end();
    this.refresh(asked.view);
    this.#answered(asked.view.run);
  }

  /** What comes of it is told by the run itself; that it is refused, only here. */
  async #send(asked: Asked, verdict: Decision): Promise<void> {
    this.#prompt = undefined;
    this.#progress.prompt(undefined);
    try {
      const result = await decideAt(await this.#ports.piton.find(asked.view.run), asked, verdict);
      if (result.status !== 'accepted') this.#say(`${asked.task}: ${result.text}`);
    } catch (thrown) {
      this.#say(`${asked.task}: ${asError(thrown).message}`);
    }
  }

  #say(text: string): void {
    this.#progress.say({ tone: 'warning', symbol: '!', text });
  }

  async #diff({ view }: Asked, form: 'stat' | 'patch'): Promise<Diff | undefined> {
    const { piton, output } = this.#ports;
    // It is only to be looked at: without one, everything else can be decided all the same.
    return piton.diff(view.run, { form, columns: output.columns }).catch(() => undefined);
  }

  async #showDiff(asked: Asked): Promise<void> {
    const diff = await this.#diff(asked, 'patch');
    if (diff === undefined || this.#asked !== asked) return;
    const text = hasControls(diff.text) ? visibleText(diff.text) : diff.text;
    const lines = text.trimEnd().split('\n');
    const more = lines.length - mostDiffLines;
    const details =
      more > 0 ? [...lines.slice(0, mostDiffLines), `… ${more} more lines: piton diff -p`] : lines;
    this.#progress.say({ tone: 'plain', symbol: '▸', text: 'what was changed so far', details });
  }

  readonly #restore = (): void => void this.#ports.output.write(noPasteMarks);

  #end(): void {
    clearTimeout(this.#timer);
    this.#asked = undefined;
    this.#prompt = undefined;
    this.#progress.prompt(undefined);
    if (this.#stopKeys === undefined) return;
    this.#stopKeys();
    this.#stopKeys = undefined;
    process.off('exit', this.#restore);
    this.#restore();
  }
}

const mostDiffLines = 500;

function askedOf({
  asked: call,
  question,
}: WatchedTask): Pick<WatchedTask, 'question'> & { call?: AskedCall } {
  return { ...(call !== undefined && { call }), ...(question !== undefined && { question }) };
}

function gateOf(view: WatchedRun, task: string): string | undefined {
  return view.task(task)?.gate;
}

function decideAt(run: Run, { task, gate }: Asked, verdict: Decision): Promise<CommandResult> {
  switch (verdict.type) {
    case 'approve':
      return run.approve(task, undefined, gate);
    case 'reject':
      return run.reject(task, undefined, gate);
    case 'answer':
      return run.answer(task, verdict.answer, { gate });
  }
}
