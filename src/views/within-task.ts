/** Whether an address is that of a task or of anything that it consists of: `build[ui]`, `build.test` and `build#2` are of `build`. */
export function isWithin(address: string, task: string): boolean {
  return address === task || (address.startsWith(task) && '[.#'.includes(address.charAt(task.length)));
}
