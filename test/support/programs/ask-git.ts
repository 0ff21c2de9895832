/** Asks git about a repository, and moves a ref, in sessions; says so, and goes on until it is told to end, or killed. */
import { createInterface } from 'node:readline';
import { Git, moveRef, readRef, runBranch } from '../../../src/workspaces/git/index.ts';

const { commonDir, PATH } = JSON.parse(process.argv[2]!) as { commonDir: string; PATH: string };
const git = new Git({ environment: { ...process.env, PATH }, durability: 'process' });
const to = await readRef(git, { commonDir }, 'refs/heads/main');
await moveRef(git, { commonDir }, { ref: runBranch('asked'), to, from: undefined });
console.log('asked');
for await (const line of createInterface({ input: process.stdin })) if (line === 'end') break;
process.stdin.destroy();
