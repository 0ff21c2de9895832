import { describeFurtherPromises } from './conformance.ts';
import { cannotElsewhere, remotePlaceBench } from './conformance/remote-bench.ts';

describeFurtherPromises(
  'a place on another machine',
  () => remotePlaceBench('packages/größe a'),
  cannotElsewhere,
);
