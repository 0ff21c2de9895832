import { describeMainPromises } from './conformance.ts';
import { cannotElsewhere, remotePlaceBench } from './conformance/remote-bench.ts';

describeMainPromises(
  'a place on another machine',
  () => remotePlaceBench('packages/größe a'),
  cannotElsewhere,
);
