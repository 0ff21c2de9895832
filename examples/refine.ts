// A graph with a cycle: write, review, write again until the reviewer is content. Each step is a checkpoint.
import { open, stateGraph } from 'piton';

interface Draft {
  text: string;
  notes: string[];
  score: number;
}

const refine = stateGraph<Draft>('refine', { maxSteps: 20, state: { text: '', notes: [], score: 0 } })
  .node('write', ({ text, notes }) => ({
    text: `${text}${notes.length === 0 ? 'A start.' : ` Better: ${notes.at(-1)}.`}`,
  }))
  .node('review', ({ text, notes }) => ({
    score: text.length / 50,
    notes: [...notes, `more than ${text.length} letters`],
  }))
  .edge('write', 'review')
  .edge('review', 'end', ({ score }) => score >= 1)
  .edge('review', 'write');

await using piton = await open({ store: 'memory:' });
piton.observe((event) => {
  if (event.type === 'cycle.entered') console.log(`round ${event.visit} of ${event.node}`);
});
const run = await piton.start(refine, {});
const { state } = await run.result();
console.log(state.text);
console.log('after the first step:', (await run.checkpoint(2)).state.text);
