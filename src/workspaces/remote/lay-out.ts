import { effect } from '../../base/index.ts';
import { markOf, thereOf } from './layout.ts';
import { layOutAgain } from './place-programs.ts';
import { lineTo, type PlacedRequest, type Resolved } from './ports.ts';
import { pushCommits } from './push.ts';
import { callMachine } from './ssh.ts';

export interface Layout {
  /** Where HEAD is to be. */
  readonly head: string;
  /** The commit whose files are to be there; what of them is not in HEAD is not committed. */
  readonly files: string;
  /** What is there, and was brought home. */
  readonly tree: string;
  /** The order of a person that is carried out by it. */
  readonly order?: string;
}

/** Puts files of here in the place of those there. Ignored files stay as they are. */
export async function layOutThere(options: Resolved, request: PlacedRequest, layout: Layout): Promise<void> {
  const { known } = request;
  const line = lineTo(options, known.remote);
  const { head, files, tree, order = '' } = layout;
  await pushCommits(options.git, { line, place: known, repository: request.repository }, [head, files]);
  const args = [
    thereOf(known).repository,
    known.path,
    known.branch,
    markOf(known),
    known.base,
    tree,
    head,
    files,
    order,
  ];
  await effect('remote.laid-out', () => callMachine(line, { program: layOutAgain, args }));
}
