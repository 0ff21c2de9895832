import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readInputs } from '../../src/interfaces/cli/drive/read-inputs.ts';
import type { Workflow } from '../../src/model/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { newProject } from './command-line.ts';

const types = {
  name: 'string',
  count: 'integer',
  share: 'number',
  push: 'boolean',
  parts: 'array',
  more: 'object',
};
const specs = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { schema: { type } }]));
const workflow = {
  inputs: { ...specs, either: { schema: { type: ['integer', 'null'] } }, any: { schema: {} } },
};

/** Of tests that name no standard input. */
const stdin = () => process.stdin;

function read(pairs: readonly string[], file?: string): Promise<unknown> {
  return readInputs(workflow as unknown as Workflow, { pairs, file, directory: '.', stdin });
}

test('inputs that are typed are understood as their schemas say', async () => {
  const pairs = [
    'name=1',
    'count=2',
    'share=0.5',
    'push=false',
    'parts=["a"]',
    'more={"a":1}',
    'either=null',
    'any=1',
  ];
  expect(await read(pairs)).toEqual({
    name: '1',
    count: 2,
    share: 0.5,
    push: false,
    parts: ['a'],
    more: { a: 1 },
    either: null,
    any: '1',
  });
});

test('what stands behind the first sign belongs to the value, and a later one wins', async () => {
  expect(await read(['name=a=b', 'unknown=x', 'name=c=d='])).toEqual({ name: 'c=d=', unknown: 'x' });
});

test.each([
  ['count=1.5', 'a whole number'],
  ['count=many', 'a whole number'],
  ['share="1"', 'a number'],
  ['push=yes', 'true or false'],
  ['parts={}', 'a list'],
  ['more=[]', 'an object'],
  ['either=1.5', 'a whole number or null'],
  ['name', 'is no input'],
  ['=x', 'is no input'],
])('an input that does not fit (%s) is refused with what it must be', async (pair, what) => {
  await expect(read([pair])).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining(what),
  });
});

test('inputs come from a file of JSON or YAML; what is typed wins over it', async () => {
  const folder = temporaryFolder();
  const [json, yaml] = [join(folder, 'in.json'), join(folder, 'in.yaml')];
  writeFileSync(json, '{"name":"from the file","count":7}');
  writeFileSync(yaml, 'name: from the file\ncount: 7\n');
  for (const file of [json, yaml]) {
    expect(await read(['name=typed'], file)).toEqual({ name: 'typed', count: 7 });
  }
});

test('a name that every object knows is an input like any other', async () => {
  expect(await read(['toString=1', 'constructor=x'])).toEqual({ toString: '1', constructor: 'x' });
  const inputs = (await read(['__proto__=x'])) as object;
  expect(Object.entries(inputs)).toEqual([['__proto__', 'x']]);
  expect(Object.getPrototypeOf(inputs)).toBe(Object.prototype);
});

test.each(['__proto__', 'constructor', 'toString'])(
  'an input %s that the workflow does not take is refused in words',
  async (name) => {
    const project = newProject();
    project.write('.piton/workflows/hello.yaml', '{ name: hello, tasks: { a: { run: echo hello } } }');
    expect(await project.piton(['run', 'hello', '-i', `${name}=x`])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`There is no input \`${name}\`. It takes none.`),
    });
  },
);

test.each([
  [['string', 'integer'], '1', '1'],
  [['integer', 'boolean'], 'true', true],
  [['integer', 'object'], '{"a":1}', { a: 1 }],
  ['null', 'null', null],
  ['unheard', '1', '1'],
  [['integer', 'unheard'], '1', '1'],
  [[1], '1', '1'],
  ['toString', '1', '1'],
])('an input of the type %j that is typed as %s becomes %j', async (type, text, expected) => {
  const inputs = { x: { schema: { type } } };
  const given = { pairs: [`x=${text}`], directory: '.', stdin };
  expect(await readInputs({ inputs } as unknown as Workflow, given)).toEqual({ x: expected });
});

test.each([
  ['null', '0', 'null'],
  ['object', 'null', 'an object in JSON'],
  ['number', 'null', 'a number'],
  ['boolean', '0', 'true or false'],
  ['array', '"a"', 'a list in JSON'],
  [['boolean', 'null'], 'x', 'true or false or null'],
])('an input of the type %j that is typed as %s is refused', async (type, text, what) => {
  const inputs = { x: { schema: { type } } };
  const given = { pairs: [`x=${text}`], directory: '.', stdin };
  await expect(readInputs({ inputs } as unknown as Workflow, given)).rejects.toMatchObject({
    message: expect.stringContaining(`The input \`x\` must be ${what}`),
    details: { input: 'x' },
  });
});

test('a file is found from where it is named, and who cannot read it says why', async () => {
  const directory = temporaryFolder();
  writeFileSync(join(directory, 'in.yaml'), 'name: x\n');
  const from = (file: string): Promise<unknown> =>
    readInputs(workflow as unknown as Workflow, { pairs: [], file, directory, stdin });
  expect(await from('in.yaml')).toEqual({ name: 'x' });
  await expect(from('missing.yaml')).rejects.toMatchObject({
    message: expect.stringContaining('ENOENT'),
    cause: { code: 'ENOENT' },
  });
  writeFileSync(join(directory, 'in.yaml'), '- x\n');
  const refused: unknown = await from('in.yaml').catch((error: unknown) => error);
  expect(Object.hasOwn(refused as object, 'cause')).toBe(false);
});

test('a file that holds no inputs is named', async () => {
  const file = join(temporaryFolder(), 'in.json');
  await expect(read([], file)).rejects.toMatchObject({ code: 'INPUT_INVALID', details: { file } });
  writeFileSync(file, '[1]');
  await expect(read([], file)).rejects.toMatchObject({
    message: expect.stringContaining('no names and values'),
  });
  writeFileSync(file, 'name: this is YAML');
  await expect(read([], file)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  writeFileSync(file, '{');
  await expect(read([], file)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
});

test('inputs are read from standard input, also of a run in the background', async () => {
  const project = newProject();
  project.write(
    '.piton/workflows/w.yaml',
    "name: w\ninputs: { who: string }\ntasks: { greet: { run: 'echo hello ${{ inputs.who }}' } }\n",
  );
  const options = { input: '{ "who": "Ada" }' };
  expect((await project.binary(['run', 'w', '--id', 'here', '--input', '-'], options)).code).toBe(0);
  const args = ['run', 'w', '--id', 'there', '--input', '-', '--detach'];
  expect((await project.binary(args, options)).code).toBe(0);
  await project.piton(['attach', 'there']);
  for (const run of ['here', 'there'])
    expect(await project.json(['show', run, 'greet'])).toMatchObject({ output: 'hello Ada' });
  // JSON is read as JSON: YAML refuses a name that is there twice.
  const twice = { input: '{ "who": "Ada", "who": "Eve" }' };
  expect((await project.binary(['run', 'w', '--id', 'twice', '--input', '-'], twice)).code).toBe(0);
  const { code, stderr } = await project.binary(['run', 'w', '--input', '-'], { input: 'nothing' });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('standard input') });
});
