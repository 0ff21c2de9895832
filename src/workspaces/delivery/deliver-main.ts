/** Opens a pull request as a process of its own. The order as JSON on standard input; what came of it to `$PITON_OUTPUT`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { asError } from '../../base/index.ts';
import { Git } from '../git/index.ts';
import { openPullRequest } from './open-pull-request.ts';
import type { DeliverOrder } from './program.ts';

async function main(): Promise<void> {
  const { order, settings, durability } = JSON.parse(readFileSync(0, 'utf8')) as DeliverOrder;
  const environment = process.env;
  const git = new Git({ environment, durability });
  const { url, branch, base, commit, existed, remote, pushed } = await openPullRequest(
    { git, environment, settings },
    order,
  );
  console.log(pushed ? `pushed ${branch} to ${remote}` : `${branch} is at ${remote} already`);
  console.log(existed ? `the pull request is there already: ${url}` : `opened ${url}`);
  const output = environment['PITON_OUTPUT'];
  if (output !== undefined) writeFileSync(output, JSON.stringify({ url, branch, base, commit, existed }));
}

try {
  await main();
} catch (error) {
  console.error(asError(error).message);
  process.exitCode = 1;
}
