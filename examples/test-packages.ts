// Runs pipeline.yaml with functions given by name.
import { loadWorkflow, open } from 'piton';

const packages = ['core', 'ui', 'docs'].map((name) => ({ name, path: `packages/${name}` }));

const definition = await loadWorkflow(new URL('pipeline.yaml', import.meta.url).pathname, {
  'find-packages': () => ({ packages }),
  'run-tests': (given, { attempt }) => {
    const { path } = given as { path: string };
    if (path.endsWith('docs')) throw Object.assign(new Error('there are no tests'), { code: 'NO_TESTS' });
    if (path.endsWith('ui') && attempt === 1) throw new Error('flaky');
    return { passed: 10, failed: path.endsWith('core') ? 1 : 0 };
  },
  'write-report': (given) => {
    const { title, results } = given as { title: string; results: { package: string; status: string }[] };
    return [title, ...results.map((result) => `${result.package} ${result.status}`)];
  },
  'send-alarm': () => 'sent',
});

await using piton = await open({ store: 'memory:', observers: [] });
const run = await piton.start(definition, { inputs: {} });
const { status, outputs } = await run.result();
console.log(status, outputs);
console.log((await run.checkpoint()).tasks['report']!.output);
