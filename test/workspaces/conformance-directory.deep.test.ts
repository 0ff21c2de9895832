import { describeFurtherPromises } from './conformance.ts';
import { cannotWithoutGit, directoryBench } from './conformance/directory-bench.ts';

describeFurtherPromises('a folder that is empty at first', () => directoryBench({ mode: 'directory' }), {
  ...cannotWithoutGit,
  kills: 'it has fewer effects than a copy, and no others',
});
