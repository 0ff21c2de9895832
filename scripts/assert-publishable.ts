/** Ends with 1 while package.json does not say where the project lives: on a registry, nobody could find it. */
import manifest from '../package.json' with { type: 'json' };

const missing = ['repository', 'homepage', 'bugs'].filter((field) => !(field in manifest));
if (missing.length > 0) {
  console.error(
    `Before it is published, package.json must say where the project lives: ${missing.join(', ')}.`,
  );
  process.exitCode = 1;
}
