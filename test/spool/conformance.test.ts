import { LocalSpool } from '../../src/spool/local/index.ts';
import { spoolContract } from '../contracts/spool.ts';
import { lateSpool } from '../support/late-spool.ts';
import { openSpool } from './open-spool.ts';

spoolContract('on this machine', () => {
  const { spool, options, place } = openSpool();
  return { spool, again: () => new LocalSpool(options), directory: place };
});

spoolContract('on this machine, for powers that fail', () => {
  const { spool, options, place } = openSpool({ durability: 'full' });
  return { spool, again: () => new LocalSpool(options), directory: place };
});

spoolContract('that takes its time to answer', () => {
  const { spool, options, place } = openSpool();
  return { spool: lateSpool(spool), again: () => lateSpool(new LocalSpool(options)), directory: place };
});
