import type { RunEvent } from '../../../engine/index.ts';
import { describeEvent, type Saying } from './describe-event.ts';
import { jsonFace } from './event-line.ts';
import type { Face, ProgressOptions } from './face.ts';
import { foldEvent } from './fold-event.ts';
import { LiveProgress } from './live-progress.ts';
import { plainFace } from './plain-face.ts';
import { newRunView, type RunView } from './run-view.ts';

/** Shows what happens to one or several runs while it happens. */
export interface Progress {
  /** Also of runs long past: `isNews` = it happens now, and is worth a line. */
  tell(event: RunEvent, isNews: boolean): void;
  /** A line of our own among the others. */
  say(saying: Saying): void;
  /** What is known of a run. */
  viewOf(run: string): RunView;
  /** Leaves the screen as it should be. Nothing is shown after that. */
  close(): void;
}

export function createProgress(options: ProgressOptions): Progress {
  const views = new Map<string, RunView>();
  const viewOf = (run: string): RunView => views.get(run) ?? add(views, run);
  const face = faceFor(options, views);
  return {
    tell(event, isNews) {
      const view = viewOf(event.run);
      foldEvent(view, event);
      if (isNews) face.show(event, describeEvent(view, event), view);
      else face.know();
    },
    say: (saying) => face.say(saying),
    viewOf,
    close: () => face.close(),
  };
}

function add(views: Map<string, RunView>, run: string): RunView {
  const view = newRunView(run);
  views.set(run, view);
  return view;
}

function faceFor(options: ProgressOptions, views: ReadonlyMap<string, RunView>): Face {
  const { output } = options;
  if (output.isJson) return jsonFace(output);
  return output.canRedraw ? new LiveProgress(options, views) : plainFace(options);
}
