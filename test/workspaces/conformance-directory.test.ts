import { describeMainPromises, describePlaces } from './conformance.ts';
import { cannotWithoutGit, directoryBench } from './conformance/directory-bench.ts';

describeMainPromises(
  'a folder that is empty at first',
  () => directoryBench({ mode: 'directory' }),
  cannotWithoutGit,
);
describePlaces(
  'a copy of a folder',
  () => directoryBench({ mode: 'directory', copyOf: 'src' }),
  cannotWithoutGit,
);
