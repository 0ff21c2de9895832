/** An expression of GitHub Actions, taken apart. */
export type GithubNode =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  /** `*` stands for all entries of a list. */
  | { readonly kind: 'path'; readonly root: string; readonly steps: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly given: readonly GithubNode[] }
  | { readonly kind: 'not'; readonly inner: GithubNode }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: GithubNode;
      readonly right: GithubNode;
    };

/** Undefined: it is none, or deeper than anybody writes. */
export function parseGithubExpression(text: string): GithubNode | undefined {
  const tokens = tokensOf(text);
  if (tokens === undefined || tokens.length > mostTokens) return undefined;
  const reader = new Reader(tokens);
  try {
    const node = reader.read(0);
    return reader.isAtEnd() ? node : undefined;
  } catch (error) {
    if (error instanceof NoExpression) return undefined;
    throw error;
  }
}

class NoExpression extends Error {}

const mostTokens = 1_000;
const deepest = 50;

const pattern = /\s+|('(?:[^']|'')*'|[A-Za-z_][\w-]*|\d+(?:\.\d+)?|==|!=|<=|>=|&&|\|\||[()[\].,!<>*])/y;

function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    if (match[1] !== undefined) tokens.push(match[1]);
  }
  return tokens;
}

/** From what binds least. */
const operators: readonly (readonly string[])[] = [['||'], ['&&'], ['==', '!='], ['<', '<=', '>', '>=']];
const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

class Reader {
  readonly #tokens: readonly string[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  isAtEnd(): boolean {
    return this.#next === this.#tokens.length;
  }

  read(level: number): GithubNode {
    const own = operators[level];
    if (own === undefined) return this.#readUnary();
    let left = this.read(level + 1);
    for (
      let operator = this.#peek();
      operator !== undefined && own.includes(operator);
      operator = this.#peek()
    ) {
      this.#next++;
      left = { kind: 'binary', operator, left, right: this.read(level + 1) };
    }
    return left;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#next];
  }

  #take(expected?: string): string {
    const token = this.#tokens[this.#next++];
    if (token === undefined || (expected !== undefined && token !== expected)) throw new NoExpression();
    return token;
  }

  #readUnary(): GithubNode {
    if (++this.#depth > deepest) throw new NoExpression();
    const node: GithubNode = this.#peek() === '!' ? this.#readNot() : this.#readPrimary();
    this.#depth--;
    return node;
  }

  #readNot(): GithubNode {
    this.#take('!');
    return { kind: 'not', inner: this.#readUnary() };
  }

  #readPrimary(): GithubNode {
    const token = this.#take();
    if (token === '(') {
      const inner = this.read(0);
      this.#take(')');
      return inner;
    }
    if (token.startsWith("'")) return { kind: 'literal', value: token.slice(1, -1).replaceAll("''", "'") };
    if (/^\d/.test(token)) return { kind: 'literal', value: Number(token) };
    if (Object.hasOwn(words, token)) return { kind: 'literal', value: words[token]! };
    if (!/^[A-Za-z_]/.test(token)) throw new NoExpression();
    return this.#peek() === '('
      ? this.#readCall(token)
      : { kind: 'path', root: token, steps: this.#readSteps() };
  }

  /** What is read from the value of a call (`fromJSON(x).y`) is not told apart from the call: nobody can translate it. */
  #readCall(name: string): GithubNode {
    const given: GithubNode[] = [];
    this.#take('(');
    while (this.#peek() !== ')') {
      if (given.length > 0) this.#take(',');
      given.push(this.read(0));
    }
    this.#take(')');
    if (this.#readSteps().length > 0) throw new NoExpression();
    return { kind: 'call', name: name.toLowerCase(), given };
  }

  #readSteps(): string[] {
    const steps: string[] = [];
    for (;;) {
      if (this.#peek() === '.') {
        this.#take('.');
        steps.push(this.#readName());
      } else if (this.#peek() === '[') {
        this.#take('[');
        steps.push(this.#take().replace(/^'(.*)'$/s, '$1'));
        this.#take(']');
      } else return steps;
    }
  }

  #readName(): string {
    const token = this.#take();
    if (token !== '*' && !/^[A-Za-z_]/.test(token)) throw new NoExpression();
    return token;
  }
}
