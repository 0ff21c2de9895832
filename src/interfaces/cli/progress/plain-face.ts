import type { Saying } from './describe-event.ts';
import type { Face, ProgressOptions } from './face.ts';
import { sayingLines } from './paint-line.ts';

/** For a pipe, a file or a detached run: a line when a task starts, ends, or needs attention, with the time since the run began. */
export function plainFace({ output, isShared = false }: ProgressOptions): Face {
  const print = (start: string, saying: Saying): void => {
    for (const line of sayingLines(output.style, saying)) output.print(start + line);
  };
  return {
    show(event, saying, view) {
      if (saying === undefined || saying.rank === 'detail') return;
      const of = isShared ? `${event.run}  ` : '';
      // Commands to type follow when the run comes to rest.
      const { commands: _, ...line } = saying;
      print(`${of}${sinceStart(event.at - view.createdAt)}  `, line);
    },
    know() {},
    say: (saying) => print('', saying),
    prompt() {},
    close() {},
  };
}

/** `00:03.1`, and with hours when there are some. */
function sinceStart(ms: number): string {
  const tenths = Math.max(Math.floor(ms / 100), 0);
  const seconds = Math.floor(tenths / 10);
  const hours = Math.floor(seconds / 3_600);
  const clock = `${two(Math.floor((seconds % 3_600) / 60))}:${two(seconds % 60)}.${tenths % 10}`;
  return hours > 0 ? `${two(hours)}:${clock}` : clock;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
