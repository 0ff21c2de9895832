/** What each folder of src/ may import. This table is the architecture; the rest is plumbing. */
const mayImport = {
  base: [],
  model: ['base'],
  definition: ['model', 'base'],
  kernel: ['model', 'base'],
  store: ['model', 'base'],
  spool: ['base'],
  sandbox: ['base'],
  agents: ['model', 'base'],
  // Where an attempt runs on another machine, it runs in a spool there.
  workspaces: ['spool', 'model', 'base'],
  views: ['kernel', 'model', 'base'],
  engine: ['kernel', 'store', 'spool', 'sandbox', 'agents', 'workspaces', 'model', 'base'],
  library: ['assemble.ts', 'engine', 'views', 'definition', 'store', 'workspaces', 'kernel', 'model', 'base'],
  // What is published for the tests of others.
  testing: ['store', 'model', 'base'],
  // What a URL of a store means is known to its adapter.
  config: ['store', 'model', 'base'],
  // What an interface shows of runs, and does to them, goes through the library, so that any other interface can do it too.
  project: ['assemble.ts', 'library', 'definition', 'agents', 'sandbox', 'config', 'model', 'base'],
  interfaces: ['project', 'library', 'model', 'base'],
};

const layers = Object.entries(mayImport).map(([folder, allowed]) => ({
  name: `layer-${folder}`,
  severity: 'error',
  comment: `src/${folder} may import only: ${allowed.join(', ') || 'nothing of ours'}`,
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: [folder, ...allowed].map((name) => `^src/${name}(/|$)`) },
}));

module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'front-door',
      severity: 'error',
      comment: 'a foreign folder is entered by its index.ts',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/[^/]+/.+', pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$'] },
    },
    {
      name: 'adapters-are-strangers',
      severity: 'error',
      from: { path: '^src/(store|spool|agents|workspaces|interfaces)/([^/]+)/' },
      // Git is a tool that workspaces share.
      to: { path: '^src/$1/[^/]+/', pathNot: ['^src/$1/$2/', '^src/workspaces/git/index\\.ts$'] },
    },
    {
      name: 'contracts-ignore-adapters',
      severity: 'error',
      // A registry is the list of the adapters, and the front door hands it on.
      from: {
        path: '^src/(store|spool|agents|workspaces)/[^/]+\\.ts$',
        pathNot: '^src/(agents|store)/registry\\.ts$',
      },
      to: { path: '^src/$1/[^/]+/' },
    },
    {
      name: 'kernel-is-pure',
      severity: 'error',
      from: { path: '^src/(kernel|model|definition|views)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'third-party-at-the-edges',
      severity: 'error',
      from: { path: '^src/(base|kernel|engine|store|spool|library)/' },
      to: { path: 'node_modules' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js'] },
  },
};
