import { resolve } from 'node:path';

const library = JSON.stringify(resolve(import.meta.dirname, '../../src/index.ts'));

/** Greets, counts (and fails at first), asks before it releases. */
export const releaseFile = `import { workflow } from ${library};

export default workflow('release')
  .task('greet', () => 'hello \\u001b[31mred\\u001b[0m')
  .task('count', { needs: ['greet'], retry: { attempts: 2, backoff: '1ms' } }, ({ attempt }) => {
    if (attempt === 1) throw new Error('not yet');
    return { words: 2 };
  })
  .task('publish', { needs: ['count'], approval: 'Release it?' }, () => 'published')
  .task('tell', { needs: ['publish'] }, () => 'told');
`;
