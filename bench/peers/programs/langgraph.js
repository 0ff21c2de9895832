/** Runs loads with LangGraph.js (graph API) and its SQLite saver. Copied into the folder where these are installed. */
import { statSync } from 'node:fs';
import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { answerRequests, inFolder, noteOf, timed } from './protocol.js';

const list = () => Annotation({ reducer: (all, added) => all.concat(added), default: () => [] });

const graphs = {
  chain: ({ steps }) =>
    new StateGraph(Annotation.Root({ count: Annotation() }))
      .addNode('step', ({ count }) => ({ count: count + 1 }))
      .addEdge(START, 'step')
      .addConditionalEdges('step', ({ count }) => (count >= steps ? END : 'step')),
  growing: ({ steps, bytes }) =>
    new StateGraph(Annotation.Root({ notes: list() }))
      .addNode('note', ({ notes }) => ({ notes: [noteOf(notes.length, bytes)] }))
      .addEdge(START, 'note')
      .addConditionalEdges('note', ({ notes }) => (notes.length >= steps ? END : 'note')),
  'fan-out': ({ width }) =>
    new StateGraph(Annotation.Root({ base: Annotation(), index: Annotation(), results: list() }))
      .addNode('first', () => ({ base: 1 }))
      .addNode('worker', ({ base, index }) => ({ results: [base + index] }))
      .addNode('last', ({ results }) => ({ base: results.length }))
      .addEdge(START, 'first')
      .addConditionalEdges('first', ({ base }) =>
        Array.from({ length: width }, (_, index) => new Send('worker', { base, index })),
      )
      .addEdge('worker', 'last')
      .addEdge('last', END),
  dag({ tasks, width, needs }) {
    const graph = new StateGraph(Annotation.Root({ results: list() }));
    for (let index = 0; index < tasks; index++) graph.addNode(`t${index}`, () => ({ results: [index] }));
    for (let index = 0; index < tasks; index++) {
      if (index < width) graph.addEdge(START, `t${index}`);
      else graph.addEdge(needs[index], `t${index}`);
      if (index >= tasks - width) graph.addEdge(`t${index}`, END);
    }
    return graph;
  },
};

const inputs = { chain: { count: 0 }, growing: { notes: [] } };

// What was built for another Node fails here, before it is said to be ready.
SqliteSaver.fromConnString(':memory:').db.close();

await answerRequests((request) =>
  inFolder(async (folder) => {
    const file = `${folder}/langgraph.db`;
    const saver = SqliteSaver.fromConnString(file);
    saver.setup();
    saver.db.pragma(`synchronous = ${request.durability === 'full' ? 'FULL' : 'NORMAL'}`);
    const graph = graphs[request.load](request).compile({ checkpointer: saver });
    let runs = 0;
    const runOnce = () =>
      graph.invoke(inputs[request.load] ?? {}, {
        configurable: { thread_id: `run-${runs++}` },
        recursionLimit: 100_000,
        durability: 'sync',
      });
    // Twice, of which the second counts: a database server has been in use for long, so should every store be.
    await timed(request, runOnce);
    const ms = await timed(request, runOnce);
    saver.db.close();
    return { ms, bytes: statSync(file).size / 2 };
  }),
);
