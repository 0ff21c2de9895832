import type { Project } from './command-line.ts';

/** A task of the scripted agent, which plays these turns. */
export function played(
  turns: readonly (readonly object[])[],
  more: Readonly<Record<string, unknown>> = {},
): object {
  // JSON is YAML, in a part too.
  const prompt = `Do it.\n\`\`\`part\n${JSON.stringify({ turns })}\n\`\`\`\n`;
  return { agent: 'scripted', permissions: 'full', prompt, ...more };
}

/** Writes `flow`, a workflow of these tasks. */
export function writeFlow(project: Project, tasks: Readonly<Record<string, object>>): void {
  project.write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', tasks }));
}
