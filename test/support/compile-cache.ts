/** For processes that are given an environment of their own: where what was compiled is kept, as vitest's settings say. */
export const compileCache = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
