/** Takes ports for some places, and prints the first of each. */
import { givePorts } from '../../../src/workspaces/filling/ports.ts';

interface Order {
  readonly settings: Parameters<typeof givePorts>[0];
  readonly paths: readonly string[];
  readonly count: number;
}

const { settings, paths, count } = JSON.parse(process.argv[2]!) as Order;
for (const path of paths) console.log((await givePorts(settings, path, count)).first);
