import { WatchedRun, type RunEvent } from '../../../library/index.ts';
import { describeEvent, type Saying } from './describe-event.ts';
import { jsonFace } from './event-line.ts';
import type { Face, ProgressOptions, PromptLines } from './face.ts';
import { LiveProgress } from './live-progress.ts';
import { plainFace } from './plain-face.ts';

/** Shows what happens to one or several runs while it happens. */
export interface Progress {
  /** Also of runs long past: `isNews` = it happens now, and is worth a line. */
  tell(event: RunEvent, isNews: boolean): void;
  /** A line of our own among the others. */
  say(saying: Saying): void;
  /** What a person is asked; undefined: nothing any more. */
  prompt(lines: PromptLines | undefined): void;
  /** What is known of a run. */
  viewOf(run: string): WatchedRun;
  /** Leaves the screen as it should be. Nothing is shown after that. */
  close(): void;
}

export function createProgress(options: ProgressOptions): Progress {
  const views = new Map<string, WatchedRun>();
  const viewOf = (run: string): WatchedRun => views.get(run) ?? add(views, run);
  const face = faceFor(options, views);
  return {
    tell(event, isNews) {
      const view = viewOf(event.run);
      view.add(event);
      const isAskedHere = options.asksHere === true && event.type === 'gate.opened';
      if (isNews) face.show(event, isAskedHere ? undefined : describeEvent(view, event), view);
      else face.know();
    },
    say: (saying) => face.say(saying),
    prompt: (lines) => face.prompt(lines),
    viewOf,
    close: () => face.close(),
  };
}

function add(views: Map<string, WatchedRun>, run: string): WatchedRun {
  const view = new WatchedRun(run);
  views.set(run, view);
  return view;
}

function faceFor(options: ProgressOptions, views: ReadonlyMap<string, WatchedRun>): Face {
  const { output } = options;
  if (output.isJson) return jsonFace(output);
  return output.canRedraw ? new LiveProgress(options, views) : plainFace(options);
}
